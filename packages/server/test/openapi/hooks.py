"""What schemathesis has to know about Mayfly: where keys come from, and that waits must be short."""

import os

import requests
import schemathesis

BASE_URL = os.environ["MAYFLY_BASE_URL"]
# Operations whose time to wait is in the query or in the body.
WAITING = {"waitForMessage": "query", "assertInbox": "body", "createScenario": "body"}


@schemathesis.auth(refresh_interval=None)
class ApiKey:
    """Cases share a key. Those about keys have an account of their own, because they revoke its
    keys, and a key each."""

    def __init__(self):
        self.shared = None
        self.admins = []

    def get(self, case, context):
        if case.operation.path.startswith("/v1/keys"):
            return self.own_key()
        if self.shared is None:
            self.shared = self.register()
        return self.shared

    def own_key(self):
        key = {"name": "case", "role": "admin"}
        while self.admins:
            admin = self.admins[-1]
            try:
                created = self.create("/v1/keys", key, {"Authorization": f"Bearer {admin}"})
            except requests.HTTPError as error:
                if error.response.status_code != 401:
                    raise
                # A case has revoked it; another worker may have noticed, too.
                self.admins = [one for one in self.admins if one != admin]
            else:
                self.admins.append(created)
                return created
        self.admins = [self.register()]
        return self.own_key()

    def register(self):
        return self.create("/v1/accounts", {"email": f"dev-{os.urandom(8).hex()}@example.com"}, {})

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
