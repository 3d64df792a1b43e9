"""The messages of errors: what arrived instead, what was refused, what to do next."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime, timezone

from ._quote import plain, quote
from .models.assertions import AssertionRun
from .models.diagnostics import WaitDiagnostics
from .models.messages import MessageSummary

_LINES_MAX = 10
"""Most lines of a section. The newest are kept: the last event is the most likely cause."""


def explain_timeout(
    what: str, *, email_address: str, timeout_seconds: float, diagnostics: WaitDiagnostics
) -> str:
    """The message of a wait that timed out; `what` is such as `a one-time code`."""
    considered = [
        f"{_time_of_day(one.received_at)}  {quote(one.subject)}: {plain(one.reason)}"
        for one in diagnostics.considered
    ]
    refused = [
        f"{_time_of_day(event.at)}  {event.stage}"
        + ("" if event.detail is None else f": {plain(event.detail)}")
        for event in diagnostics.events
        if event.stage in ("smtp.refused", "provider.refused", "near.miss", "fault.injected")
    ]
    lines = [
        f"{what[:1].upper()}{what[1:]} did not reach {email_address} within {timeout_seconds:g} s.",
        *_section("Arrived, but did not match:", considered),
        *_section("Refused:", refused),
    ]
    if not considered and not refused:
        lines += ["", "No mail arrived for this address, and none was refused."]
    if diagnostics.state != "active":
        lines += ["", f"The inbox is {diagnostics.state}: it accepts no mail."]
    domain = diagnostics.domain
    if domain.status != "active":
        lines += ["", f"The domain {domain.domain} is {domain.status}."]
    steps = [f"- {step}" for step in diagnostics.next_steps]
    return "\n".join([*lines, *_section("What to do next:", steps)])


def explain_run(run: AssertionRun, email_address: str) -> str:
    """The message of failed assertions: the result of each, with its reason."""
    failed = [result for result in run.results if not result.passed]
    subject = "" if run.message is None else f" on {quote(run.message.subject)}"
    outcome = (
        f"{len(failed)} of {len(run.results)} assertions failed{subject} to {email_address}."
        if run.arrived
        else f"No message reached {email_address} in time."
    )
    results = [
        f"  {'passed' if result.passed else 'FAILED'}  {result.type}: {plain(result.detail)}"
        for result in run.results
    ]
    return "\n".join([outcome, *results])


def describe_message(message: MessageSummary) -> str:
    """`"Subject" from "Name <address>" at 09:30:00 UTC`"""
    sender = quote(str(message.from_))
    return f"{quote(message.subject)} from {sender} at {_time_of_day(message.received_at)}"


def _section(title: str, lines: Sequence[str]) -> list[str]:
    if not lines:
        return []
    hidden = len(lines) - _LINES_MAX
    more = [f"  … and {hidden} earlier"] if hidden > 0 else []
    return ["", title, *more, *(f"  {line}" for line in lines[-_LINES_MAX:])]


def _time_of_day(time: datetime) -> str:
    return f"{time.astimezone(timezone.utc):%H:%M:%S} UTC"
