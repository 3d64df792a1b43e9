"""Which messages match a wait."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Union

from ._quote import quote
from .models.messages import Message, MessageSummary

TextPattern = Union[str, "re.Pattern[str]"]
"""A text to be contained, in upper or lower case, or a regular expression to match."""

NO_OTP = "no one-time code was found in it"
"""Why a message does not match a wait for a code."""


@dataclass(frozen=True)
class MessageFilter:
    """Which messages match; every given field must."""

    from_: TextPattern | None = None
    subject: TextPattern | None = None
    text: TextPattern | None = None
    q: str | None = None
    """A search query, such as `from:acme -has:attachment`."""

    def summary_mismatch(self, summary: MessageSummary) -> str | None:
        """Why a message of a list does not match, or None when it may."""
        sender = str(summary.from_)
        if self.from_ is not None and not matches(sender, self.from_):
            return f"its sender {quote(sender)} {_does_not_match(self.from_)}"
        if self.subject is not None and not matches(summary.subject or "", self.subject):
            return f"its subject {_does_not_match(self.subject)}"
        return None

    def mismatch(self, message: Message) -> str | None:
        """Why a message does not match, or None when it does."""
        reason = self.summary_mismatch(message)
        if reason is not None or self.text is None or matches(message.text or "", self.text):
            return reason
        return f"its text {_does_not_match(self.text)}"

    def expressions(self) -> MessageFilter:
        """The part that the service cannot filter by: it takes no regular expressions."""
        return MessageFilter(
            from_=None if isinstance(self.from_, str) else self.from_,
            subject=None if isinstance(self.subject, str) else self.subject,
            text=None if isinstance(self.text, str) else self.text,
        )

    def query(self) -> dict[str, str | None]:
        """The part that the service filters by."""
        return {
            "from": _text_of(self.from_),
            "subjectContains": _text_of(self.subject),
            "textContains": _text_of(self.text),
            "q": _text_of(self.q),
        }

    def __str__(self) -> str:
        """In words: ` with from "acme" and subject /verify/`; may be empty."""
        fields = {"from": self.from_, "subject": self.subject, "text": self.text, "q": self.q}
        parts = [
            f"{name} {describe_pattern(pattern)}"
            for name, pattern in fields.items()
            if pattern is not None
        ]
        return f" with {' and '.join(parts)}" if parts else ""


def matches(text: str, pattern: TextPattern) -> bool:
    """Whether a text matches the pattern."""
    if isinstance(pattern, str):
        return pattern.lower() in text.lower()
    return pattern.search(text) is not None


def describe_pattern(pattern: TextPattern) -> str:
    """A pattern as written in code."""
    return quote(pattern) if isinstance(pattern, str) else f"/{pattern.pattern}/"


def _does_not_match(pattern: TextPattern) -> str:
    verb = "does not contain" if isinstance(pattern, str) else "does not match"
    return f"{verb} {describe_pattern(pattern)}"


def _text_of(pattern: TextPattern | None) -> str | None:
    return pattern if isinstance(pattern, str) and pattern != "" else None
