"""What schemathesis has to know about Mayfly: where keys come from, and that waits must be short."""

import os

import requests
import schemathesis

BASE_URL = os.environ["MAYFLY_BASE_URL"]
# Operations whose time to wait is in the query or in the body.
WAITING = {"waitForMessage": "query", "assertInbox": "body", "createScenario": "body"}


@schemathesis.auth(refresh_interval=None)
class ApiKey:
    """Cases share a key; those that may end a key have one of their own."""

    def __init__(self):
        self.shared = None

    def get(self, case, context):
        if self.shared is None:
            account = {"email": f"dev-{os.urandom(8).hex()}@example.com"}
            self.shared = self.create("/v1/accounts", account, {})
        if not case.operation.path.startswith("/v1/keys"):
            return self.shared
        key = {"name": "case", "role": "admin"}
        return self.create("/v1/keys", key, {"Authorization": f"Bearer {self.shared}"})

    def create(self, path, body, headers):
        response = requests.post(f"{BASE_URL}{path}", json=body, headers=headers, timeout=10)
        response.raise_for_status()
        return response.json()["apiKey"]

    def set(self, case, data, context):
        case.headers["Authorization"] = f"Bearer {data}"


@schemathesis.hook
def before_call(context, case, kwargs):
    """Cases that would wait look once instead. Invalid times stay as they are."""
    part = WAITING.get(case.operation.definition.raw.get("operationId"))
    if part is None:
        return
    values = case.query if part == "query" else case.body
    if not isinstance(values, dict):
        return
    try:
        seconds = float(values.get("timeoutSeconds", 30))
    except (TypeError, ValueError):
        return
    if seconds.is_integer() and 0 < seconds <= 50:
        values["timeoutSeconds"] = "0" if part == "query" else 0
