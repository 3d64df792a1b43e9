"""What is waited for: a message that matches, and what to take from it."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Generic, Literal, TypeVar

from ._errors import MayflyError
from ._filter import NO_OTP, MessageFilter, TextPattern, describe_pattern, matches
from .models.messages import Message, ReceivedLink, ReceivedOtp

Found = TypeVar("Found")


@dataclass(frozen=True)
class NotFound:
    """Why a message does not contain what is waited for."""

    reason: str


@dataclass(frozen=True)
class Expectation(Generic[Found]):
    """What is waited for."""

    what: str
    """`a one-time code`"""
    for_: Literal["message", "otp"]
    filter: MessageFilter
    pick: Callable[[Message], Found | NotFound]
    otp_format: str | None = None
    """The form of the code: the service looks for one."""


def expected_message(filter: MessageFilter) -> Expectation[Message]:
    """Expects a message."""
    return Expectation("a message", "message", filter, lambda message: message)


def expected_otp(filter: MessageFilter, otp_format: str | None = None) -> Expectation[ReceivedOtp]:
    """Expects a message with a one-time code, of a form if that is known."""

    def pick(message: Message) -> ReceivedOtp | NotFound:
        if message.otp is None:
            return NotFound(NO_OTP)
        return ReceivedOtp(message.otp.value, message.otp.confidence, message)

    what = "a one-time code" if otp_format is None else f"a one-time code {otp_format}"
    return Expectation(what, "otp", filter, pick, otp_format)


def expected_link(pattern: TextPattern | None, filter: MessageFilter) -> Expectation[ReceivedLink]:
    """Expects a link whose URL matches the pattern; if none does, whose text does."""
    described = "" if pattern is None else describe_pattern(pattern)

    def is_matching(text: str) -> bool:
        return pattern is None or matches(text, pattern)

    def pick(message: Message) -> ReceivedLink | NotFound:
        links = message.links
        by_url = [link for link in links if is_matching(link.url)]
        by_text = [link for link in links if is_matching(link.text)]
        for link in [*by_url, *by_text]:
            return ReceivedLink(link.url, link.text, message)
        if not links:
            return NotFound("it has no links")
        if len(links) == 1:
            return NotFound(f"its only link does not match {described}")
        return NotFound(f"none of its {len(links)} links matches {described}")

    what = "a link" if pattern is None else f"a link that matches {described}"
    return Expectation(what, "message", filter, pick)


class Expected(Generic[Found]):
    """What a `with inbox.expect_…()` block waits for; available after the block."""

    def __init__(self) -> None:
        self._found: Found | None = None

    def fill(self, found: Found) -> None:
        """Called at the end of the block."""
        self._found = found

    @property
    def received(self) -> Found:
        """What arrived. Raises MayflyError inside the block."""
        if self._found is None:
            raise MayflyError(
                "The mail is awaited at the end of the `with` block: read this after the block."
            )
        return self._found


class ExpectedMessage(Expected[Message]):
    """The message that arrives after the block began."""

    @property
    def value(self) -> Message:
        """The message."""
        return self.received


class ExpectedOtp(Expected[ReceivedOtp]):
    """The one-time code that arrives after the block began."""

    @property
    def value(self) -> str:
        """The code."""
        return self.received.value

    @property
    def confidence(self) -> float:
        """From 0 to 1."""
        return self.received.confidence

    @property
    def message(self) -> Message:
        """The message that contains it."""
        return self.received.message

    def __str__(self) -> str:
        return self.value


class ExpectedLink(Expected[ReceivedLink]):
    """The link that arrives after the block began."""

    @property
    def url(self) -> str:
        """The URL."""
        return self.received.url

    @property
    def text(self) -> str:
        """The text of the link."""
        return self.received.text

    @property
    def message(self) -> Message:
        """The message that contains it."""
        return self.received.message

    def __str__(self) -> str:
        return self.url
