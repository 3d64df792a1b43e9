"""The client: the whole interface of the service."""

from __future__ import annotations

from collections.abc import AsyncGenerator, Callable
from types import TracebackType

import httpx

from .._connection import Call, checked_seconds, find_api_key, find_base_url, path
from .._errors import hidden_by_pytest
from ..models.accounts import Registration, SignedIn
from ..models.events import AccountEvent
from ..models.messages import SearchPage
from ..models.service import ServiceDescription
from .account import AsyncAccountCalls
from .domains import AsyncDomainCalls
from .events import follow
from .inboxes import AsyncInboxesCalls
from .keys import AsyncKeyCalls
from .requester import AsyncRequester
from .scenarios import AsyncScenarioCalls
from .webhooks import AsyncWebhookCalls

__tracebackhide__ = hidden_by_pytest

TIMEOUT_SECONDS = 30.0
"""The service's own default."""


class AsyncMayfly:
    """The whole interface of the service. Sends nothing when it is created.

    The defaults of `base_url` and `api_key` are the environment variables `MAYFLY_BASE_URL` and
    `MAYFLY_API_KEY`, then the service on this machine and the key of its local account;
    `timeout_seconds` is the default timeout of waits.
    """

    def __init__(
        self,
        *,
        api_key: str | None = None,
        base_url: str | None = None,
        timeout_seconds: float = TIMEOUT_SECONDS,
        http_client: httpx.AsyncClient | None = None,
    ) -> None:
        url = find_base_url(base_url)
        key = find_api_key(api_key, url)
        self._requester = AsyncRequester(url, key, http_client, finds_key=True)
        self.account = AsyncAccountCalls(self._requester)
        self.domains = AsyncDomainCalls(self._requester)
        seconds = checked_seconds("timeout_seconds", timeout_seconds)
        self.inboxes = AsyncInboxesCalls(self._requester, seconds)
        self.keys = AsyncKeyCalls(self._requester)
        self.scenarios = AsyncScenarioCalls(self._requester)
        self.webhooks = AsyncWebhookCalls(self._requester)

    @property
    def base_url(self) -> str:
        """Where the service is."""
        return self._requester.base_url

    @property
    def api_key(self) -> str:
        """The key, which changes with `keys.rotate()`; empty until the first call has found it."""
        return self._requester.api_key or ""

    async def search(
        self, q: str, *, limit: int | None = None, cursor: str | None = None
    ) -> SearchPage:
        """Searches the messages of all inboxes: `from:acme subject:"your code" -is:read`."""
        query = {"q": q, "limit": limit, "cursor": cursor}
        return await self._requester.model(SearchPage, Call("GET", path("search"), query=query))

    def events(
        self, *, last_event_id: str | None = None, on_open: Callable[[], object] | None = None
    ) -> AsyncGenerator[AccountEvent, None]:
        """The events of the account as they happen; a lost connection is opened again.

        `last_event_id` is the id of the last event that is known already; by default the stream
        begins now. `on_open` is called each time the stream is opened: load data after that to miss
        nothing.
        """
        return follow(self._requester, last_event_id, on_open)

    @classmethod
    async def register_account(
        cls, email: str, *, name: str | None = None, base_url: str | None = None
    ) -> Registration:
        """Registers an account; needs no key and returns the first one."""
        body = {"email": email, "name": name}
        async with _Anonymous(base_url) as requester:
            return await requester.model(Registration, Call("POST", path("accounts"), body=body))

    @classmethod
    async def sign_in(cls, token: str, *, base_url: str | None = None) -> SignedIn:
        """Exchanges the token of a sign-in link for a key; needs no key."""
        async with _Anonymous(base_url) as requester:
            call = Call("POST", path("sign-in"), body={"token": token})
            return await requester.model(SignedIn, call)

    @classmethod
    async def read_service(cls, *, base_url: str | None = None) -> ServiceDescription:
        """Reads the service's version and where it receives mail; needs no key."""
        async with _Anonymous(base_url) as requester:
            return await requester.model(ServiceDescription, Call("GET", path("service")))

    async def aclose(self) -> None:
        """Closes the connections."""
        await self._requester.aclose()

    async def __aenter__(self) -> AsyncMayfly:
        return self

    async def __aexit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        await self.aclose()


class _Anonymous:
    """A connection without a key, for one block."""

    def __init__(self, base_url: str | None) -> None:
        self._requester = AsyncRequester(find_base_url(base_url), None)

    async def __aenter__(self) -> AsyncRequester:
        return self._requester

    async def __aexit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        await self._requester.aclose()
