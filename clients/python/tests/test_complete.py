"""The client has a call for everything that the service does."""

from __future__ import annotations

import inspect
import json
from pathlib import Path
from typing import Any
from urllib.parse import unquote

import httpx
import pytest

from mayfly import ApiError, AsyncInbox, AsyncMayfly, Inbox, InboxRecord, Mayfly
from mayfly._json import decode

DOCUMENT: dict[str, Any] = json.loads(
    (Path(__file__).parents[3] / "docs" / "openapi.json").read_text(encoding="utf-8")
)

LEFT_OUT = {
    # Where a browser comes back to.
    "GET /v1/account/connection/callback",
    # Without a key, tried against the service.
    "POST /v1/accounts",
    "POST /v1/sign-in",
    "POST /v1/sign-in/catch-all",
    # Sessions of the dashboard.
    "PATCH /v1/sign-in",
    "DELETE /v1/sign-in",
    "GET /v1/service",
}


def test_every_operation_has_a_call() -> None:
    calls: set[str] = set()

    def record(request: httpx.Request) -> httpx.Response:
        calls.add(f"{request.method} {unquote(request.url.path)}")
        return httpx.Response(400, json={"error": {"code": "invalid_parameter"}})

    http = httpx.Client(transport=httpx.MockTransport(record))
    client = Mayfly(api_key="mf_test_key", base_url="http://mayfly.test", http_client=http)
    inbox = _inbox(client)
    arguments: dict[str, Any] = {
        "inbox_id": "{id}",
        "key_id": "{id}",
        "scenario_id": "{id}",
        "webhook_id": "{id}",
        "delivery_id": "{id}",
        "message_id": "{messageId}",
        "attachment_id": "{attachmentId}",
        "domain": "{domain}",
        "name": "a",
        "assertions": [],
        "rules": [],
        "inbox": inbox,
        "url": "https://a",
    }
    groups = [
        *(client.account, client.domains, client.inboxes, client.keys, client.scenarios),
        *(client.webhooks, inbox),
    ]
    for group in groups:
        for name, method in inspect.getmembers(group, inspect.ismethod):
            if not name.startswith(("_", "expect_")):
                _call(method, arguments)
    _call(lambda: next(client.events()), {})
    _call(lambda: client.search("a"), {})

    documented = {
        f"{method.upper()} {path}"
        for path, operations in DOCUMENT["paths"].items()
        for method in operations
    }
    assert calls == documented - LEFT_OUT


def test_the_asynchronous_client_has_the_same_methods() -> None:
    def methods(kind: type) -> set[str]:
        return {name.removeprefix("a") for name in dir(kind) if not name.startswith("_")}

    assert methods(AsyncMayfly) == methods(Mayfly)
    assert methods(AsyncInbox) == methods(Inbox)


def _inbox(client: Mayfly) -> Inbox:

    record: dict[str, Any] = {"id": "{id}", "emailAddress": "qa@mayfly.test", "state": "active"}
    record |= {"createdAt": "2026-01-31T09:30:00Z", "expiresAt": "2026-01-31T09:30:00Z"}
    record |= {"messageCount": 0, "unreadCount": 0, "environment": "live", "watermark": "0"}
    record |= {"catchAll": False, "keepMessages": None}
    return client.inboxes._inbox(decode(InboxRecord, record))


def _call(method: Any, arguments: dict[str, Any]) -> None:
    required = [
        name
        for name, parameter in inspect.signature(method).parameters.items()
        if parameter.default is parameter.empty and parameter.kind != parameter.VAR_POSITIONAL
    ]
    # Every call is answered with this error, and must have been sent.
    with pytest.raises(ApiError, match="invalid_parameter"):
        method(**{name: arguments[name] for name in required})
