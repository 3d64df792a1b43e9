# Made from ../_async/requester.py by tools/unasync.py: change that file instead.
"""Sends calls, retries them where that is safe, and raises error responses."""

from __future__ import annotations

import time
from typing import Any, TypeVar

import httpx

from .._connection import (
    RESPONSE_SECONDS_MAX,
    Call,
    api_error,
    call_query,
    connection_error,
    default_headers,
    parse_json,
    path,
    read_local_key,
    trusts_environment,
)
from .._errors import ApiError, MayflyError, hidden_by_pytest
from .._json import decode, encode, json_field
from .._retry import ATTEMPTS_MAX, is_rate_limited, retry_delay_seconds

__tracebackhide__ = hidden_by_pytest

Model = TypeVar("Model")

ATTEMPT_SECONDS_MIN = 1.0
"""Time of an attempt even when the time of the call is nearly over."""


class Requester:
    """The connection to a service with a key.

    With `finds_key` and without a key, that of the local account is read before the first call.
    """

    def __init__(
        self,
        base_url: str,
        api_key: str | None,
        http_client: httpx.Client | None = None,
        *,
        finds_key: bool = False,
    ) -> None:
        self.base_url = base_url
        self.api_key = api_key
        self._finds_key = finds_key
        self._is_own_client = http_client is None
        self.http = http_client or httpx.Client(trust_env=trusts_environment(base_url))

    def model(self, model: type[Model], call: Call) -> Model:
        """The JSON of the response as a model."""
        return decode(model, self.json(call))

    def field(self, name: str, call: Call) -> Any:
        """One field of the JSON of the response."""
        value = json_field(self.json(call), name)
        if value is None:
            raise MayflyError(f"The response has no {name} ({call}). Check the base URL.")
        return value

    def json(self, call: Call) -> object:
        """The JSON of the response."""
        return parse_json(self.send(call), call)

    def send(self, call: Call) -> httpx.Response:
        """A successful response; the call is sent again after temporary failures."""
        deadline = time.monotonic() + call.seconds_max
        attempt = 1
        while True:
            left_seconds = max(deadline - time.monotonic(), ATTEMPT_SECONDS_MIN)
            try:
                return self._send_once(call, left_seconds)
            except MayflyError as error:
                # An earlier attempt may have deleted it although its response was lost.
                is_repeated_delete = attempt > 1 and call.method == "DELETE"
                if is_repeated_delete and isinstance(error, ApiError) and error.status == 404:
                    return httpx.Response(204)
                delay = retry_delay_seconds(error, attempt=attempt, is_repeatable=call.may_repeat)
                attempts_max = call.attempts_max or ATTEMPTS_MAX
                is_last = attempt >= attempts_max and (
                    attempts_max == 1 or not is_rate_limited(error)
                )
                if delay is None or is_last or time.monotonic() + delay > deadline:
                    raise
            time.sleep(delay)
            attempt += 1

    def find_key(self, timeout_seconds: float = RESPONSE_SECONDS_MAX) -> None:
        """Reads the key of the local account, when none was given."""
        if self.api_key is None and self._finds_key:
            call = Call("GET", path("service"))
            service = parse_json(self._exchange(call, timeout_seconds), call)
            self.api_key = read_local_key(json_field(service, "localKeyFile"))

    def _send_once(self, call: Call, timeout_seconds: float) -> httpx.Response:
        self.find_key(timeout_seconds)
        return self._exchange(call, timeout_seconds)

    def _exchange(self, call: Call, timeout_seconds: float) -> httpx.Response:
        try:
            response = self.http.request(
                call.method,
                f"{self.base_url}{call.path}",
                params=call_query(call),
                json=None if call.body is None else encode(call.body),
                headers={**default_headers(self.api_key), **call.headers},
                timeout=timeout_seconds,
            )
        except (httpx.HTTPError, httpx.InvalidURL) as error:
            # Without its cause: a hundred lines of httpx that say no more than its message.
            raise connection_error(self.base_url, error) from None
        if response.is_success:
            return response
        raise api_error(response, call)

    def close(self) -> None:
        """Closes the connections, unless the HTTP client was passed."""
        if self._is_own_client:
            self.http.close()
