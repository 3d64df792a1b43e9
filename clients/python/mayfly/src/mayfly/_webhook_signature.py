"""Verifies deliveries of webhooks."""

from __future__ import annotations

import hashlib
import hmac
import json
import time
from collections.abc import Mapping
from typing import Literal

from ._errors import MayflyError
from ._json import decode
from .models.webhooks import WebhookEvent

VerificationFailure = Literal[
    "missing_header",
    "unsupported_version",
    "timestamp_out_of_tolerance",
    "signature_mismatch",
    "invalid_payload",
]
"""Why a delivery is not valid."""

_TOLERANCE_SECONDS = 300
"""The replay window that receivers should use."""


class WebhookVerificationError(MayflyError):
    """A delivery is not valid: respond with 400 and ignore it."""

    __module__ = "mayfly"

    def __init__(self, reason: VerificationFailure, message: str) -> None:
        super().__init__(message)
        self.reason: VerificationFailure = reason


def verify_webhook(
    headers: Mapping[str, str],
    raw_body: bytes | str,
    secret: str,
    *,
    tolerance_seconds: float = _TOLERANCE_SECONDS,
    now: float | None = None,
) -> WebhookEvent:
    """Verifies the signature and the timestamp of a delivery; returns its event.

    Pass the raw body, before parsing it. The same event can be delivered more than once: retries
    and replays have the same `id`. `now` is in seconds since 1970, for tests.
    """
    body = raw_body.encode() if isinstance(raw_body, str) else raw_body
    version = _required(headers, "x-service-signature-version")
    if version != "v1":
        message = f"Signature version {version} is unknown; update the client."
        raise WebhookVerificationError("unsupported_version", message)
    timestamp = _required(headers, "x-service-timestamp")
    signature = _required(headers, "x-service-signature")
    signed = timestamp.encode() + b"." + body
    expected = hmac.new(secret.encode(), signed, hashlib.sha256).hexdigest()
    if not hmac.compare_digest(expected.encode(), signature.lower().encode()):
        raise WebhookVerificationError(
            "signature_mismatch",
            "The signature does not match: the secret is wrong, or the body was changed. "
            "Pass the raw body, before parsing it.",
        )
    _check_age(timestamp, tolerance_seconds, time.time() if now is None else now)
    try:
        return decode(WebhookEvent, json.loads(body))
    except (ValueError, MayflyError):
        message = "The signature is valid, but the body is not an event."
    raise WebhookVerificationError("invalid_payload", message)


def _check_age(timestamp: str, tolerance_seconds: float, now: float) -> None:
    try:
        age_seconds = abs(now - float(timestamp))
    except ValueError:
        age_seconds = float("nan")
    if not age_seconds <= tolerance_seconds:
        raise WebhookVerificationError(
            "timestamp_out_of_tolerance",
            f"The timestamp differs from the clock by {age_seconds:.0f} s; "
            f"at most {tolerance_seconds:g} s are allowed.",
        )


def _required(headers: Mapping[str, str], name: str) -> str:
    for key, value in headers.items():
        if key.lower() == name and value:
            return value
    raise WebhookVerificationError("missing_header", f"The header {name} is missing.")
