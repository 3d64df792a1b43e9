"""Follows the events of an account."""

from __future__ import annotations

from collections.abc import AsyncGenerator, Callable

import anyio
import httpx

from .._connection import Call, api_error, connection_error, default_headers, path
from .._errors import ConnectionError, MayflyError, hidden_by_pytest
from .._event_stream import EventParser
from .._retry import retry_delay_seconds
from ..models.events import AccountEvent
from .requester import AsyncRequester

__tracebackhide__ = hidden_by_pytest

SILENCE_SECONDS_MAX = 40.0
"""Longest silence of a stream: the service sends a comment every 15 s."""

CONNECT_SECONDS_MAX = 30.0


async def follow(
    requester: AsyncRequester,
    last_event_id: str | None,
    on_open: Callable[[], object] | None,
) -> AsyncGenerator[AccountEvent, None]:
    """The events of the account, until the generator is closed.

    The first connection must succeed. A connection that is lost later is opened again after the
    last event. An error that a retry cannot fix, such as a revoked key, is raised.
    """
    was_open = False
    failures = 0
    while True:
        try:
            await requester.find_key()
            call = Call("GET", path("events"))
            headers = {} if last_event_id is None else {"last-event-id": last_event_id}
            async with requester.http.stream(
                call.method,
                f"{requester.base_url}{call.path}",
                headers={**default_headers(requester.api_key), **headers},
                timeout=httpx.Timeout(CONNECT_SECONDS_MAX, read=SILENCE_SECONDS_MAX),
            ) as response:
                if not response.is_success:
                    await response.aread()
                    raise api_error(response, call)
                was_open = True
                failures = 0
                if on_open is not None:
                    on_open()
                parser = EventParser()
                async for line in response.aiter_lines():
                    event = parser.feed(line)
                    if event is not None:
                        last_event_id = event.id
                        yield event
            lost: MayflyError = ConnectionError("The event stream was closed.")
        except httpx.HTTPError as error:
            lost = connection_error(requester.base_url, error)
        except MayflyError as error:
            lost = error
        failures += 1
        delay = retry_delay_seconds(lost, attempt=failures, is_repeatable=True)
        if not was_open or delay is None:
            raise lost
        await anyio.sleep(delay)
