"""Calls to the service, and what their responses mean; nothing is sent here."""

from __future__ import annotations

import ipaddress
import json
import math
import os
import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from urllib.parse import quote as percent_encode
from urllib.parse import urlsplit

import httpx

from ._errors import ApiError, ConnectionError, MayflyError
from ._json import json_field
from ._quote import plain

RESPONSE_SECONDS_MAX = 30.0
"""A working service responds in milliseconds; after this an error helps a test more."""

NETWORK_SECONDS_MAX = 15.0
"""Time for the network, beyond the time that the service holds a call."""

WAIT_SECONDS_MAX = 50
"""Longest time that the service holds one call."""

DEFAULT_BASE_URL = "http://127.0.0.1:8025"
"""Where `mayfly serve` listens by default."""

_EXCERPT_LENGTH_MAX = 200
"""Most that is shown of a response of another program, such as a proxy's error page."""


@dataclass(frozen=True)
class Call:
    """One call to the service."""

    method: str
    path: str
    query: Mapping[str, str | int | None] = field(default_factory=dict[str, "str | int | None"])
    """Query parameters; those that are None are left out."""
    body: object = None
    headers: Mapping[str, str] = field(default_factory=dict[str, str])
    seconds_max: float = RESPONSE_SECONDS_MAX
    """Longest time of the call, retries included."""
    is_repeatable: bool = False
    """Whether a POST is idempotent; other methods are."""
    attempts_max: int | None = None

    def __str__(self) -> str:
        return f"{self.method} {self.path}"

    @property
    def may_repeat(self) -> bool:
        """Whether the call is idempotent."""
        return self.is_repeatable or self.method != "POST"


def path(*segments: str) -> str:
    """A path from its segments, encoded."""
    return "/" + "/".join(percent_encode(segment, safe="") for segment in ("v1", *segments))


def checked_seconds(name: str, seconds: float) -> float:
    """A time that a caller gives: a negative one would be over before it begins."""
    if not math.isfinite(seconds) or seconds < 0:
        raise MayflyError(f"{name} must be a number, 0 or more, and is {seconds:g}.")
    return seconds


def find_base_url(base_url: str | None) -> str:
    """The URL of the service, without a slash at the end."""
    default = os.environ.get("MAYFLY_BASE_URL") or DEFAULT_BASE_URL
    found = (default if base_url is None else base_url).strip()
    if not _is_service_url(found):
        raise MayflyError(f'"{found}" is not the URL of a service, such as {DEFAULT_BASE_URL}.')
    return found.rstrip("/")


NO_KEY = (
    "There is no API key. Pass `api_key` or set MAYFLY_API_KEY; "
    "`npx mayfly signup you@example.com` creates one."
)


def find_api_key(api_key: str | None, base_url: str) -> str | None:
    """The key that was passed, or that of the environment.

    None for a service on this machine, whose key is read before the first call. White space around
    a key is removed: a file with a key ends with a newline.
    """
    found = (os.environ.get("MAYFLY_API_KEY", "") if api_key is None else api_key).strip()
    if not found and is_loopback(base_url):
        return None
    if not found:
        raise MayflyError(NO_KEY)
    # The text itself is not quoted: it may be a key, and errors are logged.
    if not re.fullmatch(r"[!-~]+", found):
        raise MayflyError(
            'api_key is not an API key: no key has a space or "…" in it. Pass the whole key.'
        )
    return found


def read_local_key(file: object) -> str:
    """The key of the local account, in the file that a service on this machine names."""
    if not isinstance(file, str):
        raise MayflyError(f"{NO_KEY} The service has no account for this machine.")
    try:
        text = Path(file).read_text(encoding="utf-8").strip()
    except (OSError, ValueError):
        text = ""
    # Nothing else of this machine is sent to the service, whatever file it names.
    if not re.fullmatch(r"mf_(live|test)_[\w-]+", text, flags=re.ASCII):
        raise MayflyError(
            f"{NO_KEY} The key of this machine is not in {file}, or cannot be read: "
            "is the service in a container, or of another user?"
        )
    return text


def is_loopback(base_url: str) -> bool:
    """Whether a URL means this machine."""
    host = urlsplit(base_url).hostname or ""
    try:
        return ipaddress.ip_address(host).is_loopback
    except ValueError:
        return host == "localhost"


def trusts_environment(base_url: str) -> bool:
    """Whether a proxy of the environment applies; it cannot reach this machine's own loopback."""
    return not is_loopback(base_url)


def default_headers(api_key: str | None) -> dict[str, str]:
    """The headers of every call."""
    try:
        release = version("mayfly-client")
    except PackageNotFoundError:
        release = "0"
    key = {} if api_key is None else {"authorization": f"Bearer {api_key}"}
    return {"user-agent": f"mayfly-python/{release}", **key}


def call_query(call: Call) -> dict[str, str]:
    """The query parameters of a call."""
    return {name: str(value) for name, value in call.query.items() if value is not None}


def parse_json(response: httpx.Response, call: Call) -> object:
    """The JSON of a successful response."""
    try:
        return json.loads(response.content)
    except ValueError:
        message = f"{_foreign_response(response)} ({response.status_code}, {call})"
    raise MayflyError(message)


def api_error(response: httpx.Response, call: Call) -> ApiError:
    """The error of a response."""
    try:
        body = json.loads(response.content)
    except ValueError:
        body = None
    error = json_field(body, "error")

    def text(name: str) -> str | None:
        value = json_field(error, name)
        return value if isinstance(value, str) else None

    return ApiError(
        text("message") or _foreign_response(response),
        status=response.status_code,
        type=text("type") or "unexpected",
        code=text("code") or "unexpected_response",
        request_id=text("requestId") or response.headers.get("x-request-id"),
        retry_after_seconds=_seconds(response.headers.get("retry-after")),
        call=str(call),
        body=body,
    )


def connection_error(base_url: str, error: httpx.HTTPError | httpx.InvalidURL) -> ConnectionError:
    """The error of a call without a response."""
    if isinstance(error, httpx.ReadTimeout):
        return ConnectionError(f"Mayfly at {base_url} did not respond in time.")
    reason = str(error) or type(error).__name__
    if isinstance(error, httpx.RemoteProtocolError):
        return ConnectionError(
            f"{base_url} did not answer with HTTP: {reason} Is this the port of SMTP (1025)? "
            "That of HTTP is by default 8025 (option base_url, variable MAYFLY_BASE_URL)."
        )
    return ConnectionError(
        f"Mayfly at {base_url} cannot be reached: {reason}. Is it running (mayfly serve)? "
        "Is the base URL right (option base_url, variable MAYFLY_BASE_URL)?"
    )


def _is_service_url(text: str) -> bool:
    try:
        url, parts = httpx.URL(text), urlsplit(text)
    except (httpx.InvalidURL, ValueError):
        return False
    return url.scheme in ("http", "https") and bool(parts.hostname)


def _foreign_response(response: httpx.Response) -> str:
    text = response.content.decode("utf-8", "replace")
    excerpt = plain(re.sub(r"\s+", " ", text).strip(), _EXCERPT_LENGTH_MAX)
    return f'This response is not from Mayfly: "{excerpt}". Check the base URL.'


def _seconds(text: str | None) -> float | None:
    try:
        return None if text is None else float(text)
    except ValueError:
        return None
