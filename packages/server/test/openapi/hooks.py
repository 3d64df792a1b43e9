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
        if self.shared is None or case.operation.path.startswith("/v1/keys"):
            account = {"email": f"dev-{os.urandom(8).hex()}@example.com"}
            response = requests.post(f"{BASE_URL}/v1/accounts", json=account, timeout=10)
            response.raise_for_status()
            self.shared = self.shared or response.json()["apiKey"]
            return response.json()["apiKey"]
        return self.shared

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
    seconds = values.get("timeoutSeconds", 30)
    if str(seconds).isdigit() and not isinstance(seconds, bool) and 0 < int(seconds) <= 50:
        values["timeoutSeconds"] = "0" if part == "query" else 0
