# Made from ../_async/waiting.py by tools/unasync.py: change that file instead.
"""Waits until a message meets an expectation."""

from __future__ import annotations

import math
import time
from dataclasses import dataclass, field, replace
from datetime import datetime
from typing import Generic, Protocol, TypeVar

from .._connection import NETWORK_SECONDS_MAX, WAIT_SECONDS_MAX, Call, path
from .._errors import ApiError, MayflyError, hidden_by_pytest
from .._expectation import Expectation, NotFound
from .._expectation_errors import EmailTimeoutError
from .._explain import LINES_MAX, explain_timeout
from .._filter import NO_OTP, MessageFilter
from .._json import decode, format_time, json_field, parse_time
from .._retry import retry_delay_seconds
from ..models.diagnostics import Diagnostics, RejectedMessage, WaitDiagnostics
from ..models.inboxes import InboxRecord
from ..models.messages import Message, MessagePage, MessageSummary
from .requester import Requester

__tracebackhide__ = hidden_by_pytest

Found = TypeVar("Found")

PAGE_SIZE = 100
"""The largest page that the service returns."""

BEFORE_WATERMARK = "it had arrived before the watermark was taken"
"""The service's reason for mail up to the watermark of a call; a test compares it."""


class WaitTarget(Protocol):
    """The inbox that is waited on."""

    @property
    def id(self) -> str: ...

    @property
    def email_address(self) -> str: ...

    def list_messages(
        self,
        *,
        limit: int | None = None,
        cursor: str | None = None,
        after: str | None = None,
        q: str | None = None,
    ) -> MessagePage: ...

    def read_message(self, message_id: str, *, otp_format: str | None = None) -> Message: ...

    def read(self) -> InboxRecord: ...

    def diagnose(self) -> Diagnostics: ...


@dataclass(frozen=True)
class WaitTime:
    """How long to wait, and which mail to consider."""

    timeout_seconds: float
    since: datetime | None
    """Only mail that arrived at or after this time, by the clock of the service."""
    after: str | None
    """Only mail that arrived after this watermark of the inbox; no clock is involved."""
    has_block: bool
    """Whether `after` was taken at the beginning of a block, and not by the caller."""


@dataclass(frozen=True)
class Arrived:
    """A held call ended with a message."""

    message: Message


@dataclass(frozen=True)
class NothingArrived:
    """A held call ended without one."""

    diagnostics: WaitDiagnostics | None


def wait_time(
    timeout_seconds: float,
    *,
    since: datetime | str | None,
    after: str | None,
    has_block: bool,
) -> WaitTime:
    """The time of a wait, from its options."""
    at = parse_time(since) if isinstance(since, str) else since
    return WaitTime(timeout_seconds, at if at is None else at.astimezone(), after, has_block)


@dataclass
class Wait(Generic[Found]):
    """A wait in progress.

    The service returns the newest message that contains the texts; it takes no regular
    expressions. When that message does not match, the watermark is read and then the list: mail up
    to the watermark is in the list, and later mail ends the next call. So no message is missed.
    """

    requester: Requester
    target: WaitTarget
    expectation: Expectation[Found]
    time: WaitTime
    rejected: dict[str, RejectedMessage] = field(default_factory=dict[str, RejectedMessage])
    """Messages that did not match, by their id."""
    deadline: float = 0

    def run(self) -> Found:
        """Waits until a message meets the expectation; raises EmailTimeoutError if none does."""
        self.deadline = time.monotonic() + self.time.timeout_seconds
        after = self.time.after
        while True:
            outcome = self._hold_call(after)
            if isinstance(outcome, Arrived):
                filter = self.expectation.filter.expressions()
                picked = self._evaluate(outcome.message, filter)
                if not isinstance(picked, NotFound):
                    return picked
                after = (self.target.read()).watermark
                listed = self._search_list()
                if not isinstance(listed, NotFound):
                    return listed
            if time.monotonic() >= self.deadline:
                known = None if isinstance(outcome, Arrived) else outcome.diagnostics
                raise self._timeout_error(known)

    def _hold_call(self, after: str | None) -> Arrived | NothingArrived:
        """One call for as long as the service holds a call; retried after temporary failures."""
        attempt = 1
        while True:
            left_seconds = max(0.0, self.deadline - time.monotonic())
            held_seconds = min(math.ceil(left_seconds), WAIT_SECONDS_MAX)
            try:
                return self._wait_once(after, held_seconds)
            except MayflyError as error:
                delay = retry_delay_seconds(error, attempt=attempt, is_repeatable=True)
                if delay is None or time.monotonic() + delay > self.deadline:
                    raise
            time.sleep(delay)
            attempt += 1

    def _wait_once(self, after: str | None, seconds: int) -> Arrived | NothingArrived:
        since = self.time.since
        call = Call(
            "GET",
            path("inboxes", self.target.id, "wait"),
            query={
                "for": self.expectation.for_,
                "timeoutSeconds": seconds,
                "since": None if since is None else format_time(since),
                "after": after,
                "otpFormat": self.expectation.otp_format,
                **self.expectation.filter.query(),
            },
            # This wait retries with the time that is left.
            attempts_max=1,
            seconds_max=seconds + NETWORK_SECONDS_MAX,
        )
        try:
            return Arrived(decode(Message, self.requester.field("message", call)))
        except ApiError as error:
            if error.code != "nothing_arrived":
                raise
            known = json_field(error.body, "diagnostics")
            return NothingArrived(None if known is None else decode(WaitDiagnostics, known))

    def _search_list(self) -> Found | NotFound:
        """Searches all messages since the start, newest first."""
        cursor: str | None = None
        while True:
            page = self.target.list_messages(
                limit=PAGE_SIZE, cursor=cursor, after=self.time.after, q=self.expectation.filter.q
            )
            for summary in page.messages:
                if self.time.since is not None and summary.received_at < self.time.since:
                    return NotFound("the rest is older")
                if summary.id in self.rejected or not self._may_match(summary):
                    continue
                message = self.target.read_message(
                    summary.id, otp_format=self.expectation.otp_format
                )
                picked = self._evaluate(message, self.expectation.filter)
                if not isinstance(picked, NotFound):
                    return picked
            cursor = page.next_cursor
            if cursor is None:
                return NotFound("no message of the list matches")

    def _may_match(self, summary: MessageSummary) -> bool:
        reason = self.expectation.filter.summary_mismatch(summary)
        # A code of a known form may be in a message without another one.
        needs_otp = self.expectation.for_ == "otp" and self.expectation.otp_format is None
        if reason is None and needs_otp and not summary.has_otp:
            reason = NO_OTP
        if reason is not None:
            self._reject(summary, reason)
        return reason is None

    def _evaluate(self, message: Message, filter: MessageFilter) -> Found | NotFound:
        """What the message contains; otherwise it is noted with the reason."""
        reason = filter.mismatch(message)
        picked = self.expectation.pick(message) if reason is None else NotFound(reason)
        if isinstance(picked, NotFound):
            self._reject(message, picked.reason)
        return picked

    def _reject(self, message: MessageSummary, reason: str) -> None:
        considered = RejectedMessage(message.id, message.subject, message.received_at, reason)
        self.rejected[message.id] = considered

    def _own_reason(self, considered: RejectedMessage) -> str:
        """Why a message did not count, in terms of the test.

        The reason of the service may be a watermark that the test does not know: the one of a
        block, or of a later call of this wait.
        """
        own = self.rejected.get(considered.id)
        if own is not None:
            return own.reason
        if considered.reason != BEFORE_WATERMARK:
            return considered.reason
        since = self.time.since
        if since is not None and considered.received_at < since:
            return f"it had arrived before since ({format_time(since)})"
        if self.time.has_block:
            return "it had arrived before the block began"
        return considered.reason

    def _timeout_error(self, known: WaitDiagnostics | None) -> EmailTimeoutError:
        if known is None:
            now = self.target.diagnose()
            known = WaitDiagnostics(now.state, now.events, now.domain, now.next_steps, ())
        received = {one.id: replace(one, reason=self._own_reason(one)) for one in known.considered}
        by_id = self.rejected | received
        # Both are newest first; those of one instant keep that order, turned round.
        oldest_first = reversed(list(by_id.values()))
        considered = tuple(sorted(oldest_first, key=lambda one: one.received_at))
        next_steps = known.next_steps
        if known.considered:
            # One of the steps repeats that the newest message, the first here, did not match.
            repeated = f" arrived, but did not match: {known.considered[0].reason}."
            next_steps = tuple(step for step in next_steps if not step.endswith(repeated))
        is_cut = len(considered) > LINES_MAX
        message_count = (self.target.read()).message_count if is_cut else 0
        diagnostics = replace(known, considered=considered, next_steps=next_steps)
        address, seconds = self.target.email_address, self.time.timeout_seconds
        message = explain_timeout(
            f"{self.expectation.what}{self.expectation.filter}",
            email_address=address,
            timeout_seconds=seconds,
            diagnostics=diagnostics,
            message_count=message_count,
        )
        return EmailTimeoutError(
            message, email_address=address, timeout_seconds=seconds, diagnostics=diagnostics
        )
