"""An inbox: waits, checks and messages."""

from __future__ import annotations

import math
import time
from collections.abc import Sequence
from dataclasses import replace
from datetime import datetime
from types import TracebackType
from typing import Any, Generic, TypeVar

from .._connection import NETWORK_SECONDS_MAX, WAIT_SECONDS_MAX, Call, checked_seconds, path
from .._errors import ApiError, hidden_by_pytest
from .._expectation import (
    Expectation,
    Expected,
    ExpectedLink,
    ExpectedMessage,
    ExpectedOtp,
    expected_link,
    expected_message,
    expected_otp,
)
from .._expectation_errors import (
    AssertionsFailedError,
    EmailTimeoutError,
    UnexpectedEmailError,
)
from .._explain import describe_message, explain_run
from .._filter import MessageFilter, TextPattern
from ..models.assertions import Assertion, AssertionRun
from ..models.diagnostics import Diagnostics, InboxState
from ..models.faults import FaultRule, Faults
from ..models.inboxes import InboxRecord
from ..models.keys import Environment
from ..models.messages import Message, ReceivedLink, ReceivedOtp
from .messages import AsyncMessageCalls
from .requester import AsyncRequester
from .waiting import AsyncWait, wait_time

__tracebackhide__ = hidden_by_pytest

Found = TypeVar("Found")
Handle = TypeVar("Handle", bound=Expected[Any])

NO_EMAIL_SECONDS = 5.0
"""Long enough for an application that sends immediately, short enough for a test."""


class AsyncInbox(AsyncMessageCalls):
    """An inbox. Its fields are as they were when it was read.

    `async with` deletes it at the end of the block.
    """

    id: str
    email_address: str
    created_at: datetime
    expires_at: datetime | None
    message_count: int
    unread_count: int
    state: InboxState
    environment: Environment
    watermark: str
    catch_all: bool
    keep_messages: int | None

    def __init__(
        self,
        record: InboxRecord,
        requester: AsyncRequester,
        *,
        timeout_seconds: float,
    ) -> None:
        super().__init__(requester, record.id)
        self.id = record.id
        self.email_address = record.email_address
        self.created_at = record.created_at
        self.expires_at = record.expires_at
        self.message_count = record.message_count
        self.unread_count = record.unread_count
        self.state = record.state
        self.environment = record.environment
        self.watermark = record.watermark
        self.catch_all = record.catch_all
        self.keep_messages = record.keep_messages
        self._timeout_seconds = timeout_seconds

    async def wait_for_message(
        self,
        *,
        from_: TextPattern | None = None,
        subject: TextPattern | None = None,
        text: TextPattern | None = None,
        q: str | None = None,
        timeout_seconds: float | None = None,
        since: datetime | str | None = None,
        after: str | None = None,
    ) -> Message:
        """Waits for a message; one that has arrived counts, unless `since` or `after` excludes it.

        `since` is a time by the clock of the service, `after` a watermark of the inbox, and `q` a
        search query such as `subject:receipt has:attachment`.
        """
        expectation = expected_message(MessageFilter(from_, subject, text, q))
        return await self._wait(expectation, timeout_seconds, since=since, after=after)

    async def wait_for_otp(
        self,
        *,
        otp_format: str | None = None,
        from_: TextPattern | None = None,
        subject: TextPattern | None = None,
        text: TextPattern | None = None,
        q: str | None = None,
        timeout_seconds: float | None = None,
        since: datetime | str | None = None,
        after: str | None = None,
    ) -> ReceivedOtp:
        """Waits for a one-time code.

        `otp_format` is the form of the code: `9` is a digit, `A` a letter or digit, separators are
        ignored (`999999`, `AAAA-AAAA`). Only values of this form count, and a less likely one is
        returned.
        """
        expectation = expected_otp(MessageFilter(from_, subject, text, q), otp_format)
        return await self._wait(expectation, timeout_seconds, since=since, after=after)

    async def wait_for_link(
        self,
        *,
        link: TextPattern | None = None,
        from_: TextPattern | None = None,
        subject: TextPattern | None = None,
        text: TextPattern | None = None,
        q: str | None = None,
        timeout_seconds: float | None = None,
        since: datetime | str | None = None,
        after: str | None = None,
    ) -> ReceivedLink:
        """Waits for a link.

        `link` is compared with the URL of each link; if none matches, with its text.
        """
        expectation = expected_link(link, MessageFilter(from_, subject, text, q))
        return await self._wait(expectation, timeout_seconds, since=since, after=after)

    async def wait_for_no_message(
        self,
        *,
        within_seconds: float = NO_EMAIL_SECONDS,
        from_: TextPattern | None = None,
        subject: TextPattern | None = None,
        text: TextPattern | None = None,
        q: str | None = None,
        since: datetime | str | None = None,
        after: str | None = None,
    ) -> None:
        """Raises UnexpectedEmailError as soon as a message arrives, or has arrived already."""
        seconds = checked_seconds("within_seconds", within_seconds)
        filter = MessageFilter(from_, subject, text, q)
        try:
            email = await self._wait(expected_message(filter), seconds, since=since, after=after)
        except EmailTimeoutError:
            return
        raise UnexpectedEmailError(
            f"A message{filter} reached {self.email_address} although none was expected "
            f"within {within_seconds:g} s: {describe_message(email)}.",
            email,
        )

    def expect_message(
        self,
        *,
        from_: TextPattern | None = None,
        subject: TextPattern | None = None,
        text: TextPattern | None = None,
        q: str | None = None,
        timeout_seconds: float | None = None,
    ) -> AsyncExpecting[ExpectedMessage]:
        """A `with` block that makes the application send; waits for the message at its end.

        Only mail that arrives after the block began counts. The message is `.value`.
        """
        expectation = expected_message(MessageFilter(from_, subject, text, q))
        return AsyncExpecting(self, expectation, ExpectedMessage(), timeout_seconds)

    def expect_otp(
        self,
        *,
        otp_format: str | None = None,
        from_: TextPattern | None = None,
        subject: TextPattern | None = None,
        text: TextPattern | None = None,
        q: str | None = None,
        timeout_seconds: float | None = None,
    ) -> AsyncExpecting[ExpectedOtp]:
        """A `with` block that makes the application send; waits for the code at its end.

        Only mail that arrives after the block began counts. The code is `.value`; for `otp_format`
        see `wait_for_otp`.
        """
        expectation = expected_otp(MessageFilter(from_, subject, text, q), otp_format)
        return AsyncExpecting(self, expectation, ExpectedOtp(), timeout_seconds)

    def expect_link(
        self,
        *,
        link: TextPattern | None = None,
        from_: TextPattern | None = None,
        subject: TextPattern | None = None,
        text: TextPattern | None = None,
        q: str | None = None,
        timeout_seconds: float | None = None,
    ) -> AsyncExpecting[ExpectedLink]:
        """A `with` block that makes the application send; waits for the link at its end.

        Only mail that arrives after the block began counts. The link is `.url`.
        """
        expectation = expected_link(link, MessageFilter(from_, subject, text, q))
        return AsyncExpecting(self, expectation, ExpectedLink(), timeout_seconds)

    def expect_no_message(
        self,
        *,
        within_seconds: float = NO_EMAIL_SECONDS,
        from_: TextPattern | None = None,
        subject: TextPattern | None = None,
        text: TextPattern | None = None,
        q: str | None = None,
    ) -> AsyncExpectingNone:
        """A `with` block after whose beginning no message may arrive."""
        return AsyncExpectingNone(self, MessageFilter(from_, subject, text, q), within_seconds)

    async def assert_that(
        self,
        *assertions: Assertion,
        from_: str | None = None,
        subject: str | None = None,
        text: str | None = None,
        q: str | None = None,
        timeout_seconds: float | None = None,
        since: datetime | str | None = None,
        after: str | None = None,
    ) -> AssertionRun:
        """Waits for a message and checks it. Raises when none arrives or an assertion fails."""
        run = await self.check(
            assertions,
            from_=from_,
            subject=subject,
            text=text,
            q=q,
            timeout_seconds=timeout_seconds,
            since=since,
            after=after,
        )
        if not run.passed:
            raise AssertionsFailedError(explain_run(run, self.email_address), run)
        return run

    async def check(
        self,
        assertions: Sequence[Assertion],
        *,
        from_: str | None = None,
        subject: str | None = None,
        text: str | None = None,
        q: str | None = None,
        timeout_seconds: float | None = None,
        since: datetime | str | None = None,
        after: str | None = None,
    ) -> AssertionRun:
        """Waits for a message, checks it and returns the report, without raising; see `passed`.

        `from_`, `subject` and `text` are texts that the message must contain, in any case; `q` is a
        search query such as `subject:receipt has:attachment`.
        """
        whole_seconds = self._seconds(timeout_seconds)
        started = time.monotonic()
        while True:
            elapsed_seconds = time.monotonic() - started
            left_seconds = max(0.0, whole_seconds - elapsed_seconds)
            # The service holds a call for at most 50 seconds; a longer wait takes several.
            held_seconds = min(math.ceil(left_seconds), WAIT_SECONDS_MAX)
            body = {"assertions": assertions, "timeoutSeconds": held_seconds}
            body |= {
                "since": since,
                "after": after,
                **MessageFilter(from_, subject, text, q).query(),
            }
            call = Call(
                "POST",
                path("inboxes", self.id, "assert"),
                body=body,
                is_repeatable=True,
                seconds_max=held_seconds + NETWORK_SECONDS_MAX,
            )
            run = await self._requester.model(AssertionRun, call)
            if run.arrival_seconds is not None:
                # Milliseconds, as in the API: 0 for a mail that had already arrived.
                arrival_seconds = round(elapsed_seconds + run.arrival_seconds, 3)
                return replace(run, arrival_seconds=arrival_seconds)
            if left_seconds <= WAIT_SECONDS_MAX:
                return run

    async def diagnose(self) -> Diagnostics:
        """What happened to mail for this inbox, and what to do when none arrives."""
        call = Call("GET", path("inboxes", self.id, "diagnostics"))
        return await self._requester.model(Diagnostics, call)

    async def set_faults(
        self, rules: Sequence[FaultRule], *, expires_in_seconds: int | None = None
    ) -> Faults:
        """Makes the inbox refuse mail, for an hour by default; replaces earlier rules."""
        body = {"rules": list(rules), "expires_in_seconds": expires_in_seconds}
        call = Call("PUT", path("inboxes", self.id, "faults"), body=body)
        return await self._requester.model(Faults, call)

    async def read_faults(self) -> Faults:
        """The fault rules of the inbox."""
        return await self._requester.model(Faults, Call("GET", path("inboxes", self.id, "faults")))

    async def delete_faults(self) -> None:
        """Deletes the fault rules of the inbox."""
        await self._requester.send(Call("DELETE", path("inboxes", self.id, "faults")))

    async def read(self) -> InboxRecord:
        """The inbox as it is now; its `watermark` marks what has arrived so far."""
        return await self._requester.model(InboxRecord, Call("GET", path("inboxes", self.id)))

    async def delete(self) -> None:
        """Deletes the inbox and all its content; succeeds when it is already deleted."""
        try:
            await self._requester.send(Call("DELETE", path("inboxes", self.id)))
        except ApiError as error:
            if error.code != "inbox_not_found":
                raise

    async def __aenter__(self) -> AsyncInbox:
        return self

    async def __aexit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        await self.delete()

    def __repr__(self) -> str:
        return f"<{type(self).__name__} {self.email_address}>"

    def _seconds(self, timeout_seconds: float | None) -> float:
        if timeout_seconds is None:
            return self._timeout_seconds
        return checked_seconds("timeout_seconds", timeout_seconds)

    async def _wait(
        self,
        expectation: Expectation[Found],
        timeout_seconds: float | None,
        *,
        since: datetime | str | None = None,
        after: str | None = None,
        has_block: bool = False,
    ) -> Found:
        seconds = self._seconds(timeout_seconds)
        allowed = wait_time(seconds, since=since, after=after, has_block=has_block)
        return await AsyncWait(self._requester, self, expectation, allowed).run()


class AsyncExpecting(Generic[Handle]):
    """A `with` block whose mail is awaited at its end, unless the block raises."""

    def __init__(
        self,
        inbox: AsyncInbox,
        expectation: Expectation[Any],
        handle: Handle,
        timeout_seconds: float | None,
    ) -> None:
        self._inbox = inbox
        self._expectation = expectation
        self._handle = handle
        self._timeout_seconds = inbox._seconds(timeout_seconds)
        self._after = ""

    async def __aenter__(self) -> Handle:
        self._after = (await self._inbox.read()).watermark
        return self._handle

    async def __aexit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        if error is None:
            found = await self._inbox._wait(
                self._expectation, self._timeout_seconds, after=self._after, has_block=True
            )
            self._handle.fill(found)


class AsyncExpectingNone:
    """A `with` block after whose beginning no message may arrive."""

    def __init__(self, inbox: AsyncInbox, filter: MessageFilter, within_seconds: float) -> None:
        self._inbox = inbox
        self._filter = filter
        self._within_seconds = checked_seconds("within_seconds", within_seconds)
        self._after = ""

    async def __aenter__(self) -> None:
        self._after = (await self._inbox.read()).watermark

    async def __aexit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        if error is None:
            await self._inbox.wait_for_no_message(
                within_seconds=self._within_seconds,
                from_=self._filter.from_,
                subject=self._filter.subject,
                text=self._filter.text,
                q=self._filter.q,
                after=self._after,
            )
