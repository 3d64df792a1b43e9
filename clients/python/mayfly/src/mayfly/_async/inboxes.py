"""Calls about inboxes."""

from __future__ import annotations

import uuid
from dataclasses import dataclass
from typing import Literal

from .._connection import Call, path
from .._errors import hidden_by_pytest
from .._json import decode
from ..models.diagnostics import InboxState
from ..models.inboxes import InboxRecord, InboxRecordPage
from .inbox import AsyncInbox
from .requester import AsyncRequester

__tracebackhide__ = hidden_by_pytest


@dataclass(frozen=True)
class AsyncInboxPage:
    """One page of inboxes, newest first; `next_cursor` is None on the last one."""

    inboxes: tuple[AsyncInbox, ...]
    next_cursor: str | None


class AsyncInboxesCalls:
    """Calls about inboxes."""

    def __init__(self, requester: AsyncRequester, timeout_seconds: float) -> None:
        self._requester = requester
        self._timeout_seconds = timeout_seconds

    async def create(
        self,
        *,
        domain: str | None = None,
        local_part: str | None = None,
        ttl_seconds: int | None = None,
        catch_all: bool | None = None,
        keep_messages: int | None = None,
        idempotency_key: str | None = None,
    ) -> AsyncInbox:
        """Creates an inbox.

        `domain` is a receiving domain, or `smart` for the best one; `local_part` is the part before
        the @, by default random; `ttl_seconds` is from 600 to 604800, by default a day. With a
        fixed `idempotency_key` a second run of the program gets the same inbox.

        `catch_all` makes a catch-all inbox: it takes mail for any recipient, by SMTP AUTH, never
        expires and keeps its newest `keep_messages`, by default 500.
        """
        call = Call(
            "POST",
            path("inboxes"),
            body={
                "domain": domain,
                "localPart": local_part,
                "ttlSeconds": ttl_seconds,
                "catchAll": catch_all,
                "keepMessages": keep_messages,
            },
            headers={"idempotency-key": idempotency_key or str(uuid.uuid4())},
            is_repeatable=True,
        )
        return self._inbox(decode(InboxRecord, await self._requester.field("inbox", call)))

    async def list(
        self,
        *,
        state: InboxState | Literal["unexpired", "all"] | None = None,
        limit: int | None = None,
        cursor: str | None = None,
    ) -> AsyncInboxPage:
        """A page of inboxes, newest first; the active ones unless `state` says otherwise.

        `limit` is at most 1000, the default; `cursor` is the `next_cursor` of the page before.
        """
        query = {"state": state, "limit": limit, "cursor": cursor}
        listed = await self._requester.model(
            InboxRecordPage, Call("GET", path("inboxes"), query=query)
        )
        return AsyncInboxPage(tuple(map(self._inbox, listed.inboxes)), listed.next_cursor)

    async def get(self, inbox_id: str) -> AsyncInbox:
        """An inbox by its id."""
        call = Call("GET", path("inboxes", inbox_id))
        return self._inbox(await self._requester.model(InboxRecord, call))

    async def delete(self, inbox_id: str) -> None:
        """Deletes an inbox and all its content immediately."""
        await self._requester.send(Call("DELETE", path("inboxes", inbox_id)))

    def _inbox(self, record: InboxRecord) -> AsyncInbox:
        return AsyncInbox(record, self._requester, timeout_seconds=self._timeout_seconds)
