"""Checks of a message, and their results."""

from __future__ import annotations

from dataclasses import dataclass, field
from datetime import datetime
from typing import ClassVar, Literal


@dataclass(frozen=True)
class Assertion:
    """One check of a message."""

    CLASSES: ClassVar[dict[str, type[Assertion]]] = {}
    """The class of each type."""


@dataclass(frozen=True)
class OtpPresent(Assertion):
    """A one-time code was found; `otp_format` is the form that it must have, such as `999999`."""

    otp_format: str | None = None
    type: Literal["otpPresent"] = field(default="otpPresent", init=False)


@dataclass(frozen=True)
class ContainsText(Assertion):
    """The subject or the body contains the text; upper and lower case differ."""

    text: str
    type: Literal["containsText"] = field(default="containsText", init=False)


@dataclass(frozen=True)
class LinkResponds(Assertion):
    """A link responds with a 2xx status; `url_contains` limits which links are tried."""

    url_contains: str | None = None
    type: Literal["linkResponds"] = field(default="linkResponds", init=False)


@dataclass(frozen=True)
class SenderAuth(Assertion):
    """The sender check has the expected result; by default `pass`."""

    check: Literal["spf", "dkim", "dmarc"]
    expect: str | None = None
    type: Literal["auth"] = field(default="auth", init=False)


@dataclass(frozen=True)
class HtmlSupport(Assertion):
    """Each mail client supports at least so many percent of the HTML; by default all clients.

    Clients are such as `gmail` or `outlook.windows`.
    """

    at_least: float
    clients: tuple[str, ...] | None = None
    type: Literal["htmlSupport"] = field(default="htmlSupport", init=False)


Assertion.CLASSES.update(
    otpPresent=OtpPresent,
    containsText=ContainsText,
    linkResponds=LinkResponds,
    auth=SenderAuth,
    htmlSupport=HtmlSupport,
)


@dataclass(frozen=True)
class AssertionResult:
    """The outcome of one assertion."""

    type: str
    passed: bool
    detail: str


@dataclass(frozen=True)
class CheckedMessage:
    """The message that was checked."""

    id: str
    subject: str | None
    received_at: datetime


@dataclass(frozen=True)
class AssertionRun:
    """The report of a set of assertions on one message."""

    passed: bool
    arrived: bool
    arrival_seconds: float | None
    """Seconds from the call to the arrival; 0 when the message had already arrived."""
    results: tuple[AssertionResult, ...]
    message: CheckedMessage | None


@dataclass(frozen=True)
class Scenario:
    """A saved, named set of assertions."""

    id: str
    name: str
    assertions: tuple[Assertion, ...]
    timeout_seconds: int
    created_at: datetime
