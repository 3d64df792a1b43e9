"""Makes the same calls with several clients; prints what became of them as JSON.

The environment has `MAYFLY_CLIENTS`: the URL of the service, the root of its listener for
providers, a key, a key of an account without inboxes, and for each client a key whose first call
is answered with 429.
"""

from __future__ import annotations

import json
import os
import sys
from collections.abc import Callable, Mapping

SETTINGS = json.loads(os.environ["MAYFLY_CLIENTS"])
URL: str = SETTINGS["url"] + "/providers"
ROOT: str = SETTINGS["root"]
FROM, TO, TEXT = "app@acme.example", "ada@example.com", "Your verification code is 481516."

#: Sends a mail with this key to this recipient; returns what a failure is told by, else nothing.
Send = Callable[[str, str], str | None]


def outcome(send: Send, key: str, to: str = TO) -> str:
    try:
        return send(key, to) or "sent"
    # Any class: it is the result.
    except Exception as error:
        return f"{type(error).__name__} {_status(error)}".strip()


def _status(error: Exception) -> str:
    response = getattr(error, "response", None)
    if isinstance(response, dict):
        return str(response["Error"]["Code"])
    found = (getattr(error, name, None) for name in ("status_code", "status", "code", "error_code"))
    return str(next((one for one in found if one is not None), ""))


def run(clients: Mapping[str, Send]) -> None:
    results = {
        name: [
            outcome(send, SETTINGS["key"]),
            outcome(send, SETTINGS["key"], "nobody"),
            outcome(send, SETTINGS["noInbox"]),
            outcome(send, "mf_live_" + "x" * 43),
            outcome(send, SETTINGS["faults"][name]),
        ]
        for name, send in clients.items()
    }
    sys.stdout.write(json.dumps(results))
