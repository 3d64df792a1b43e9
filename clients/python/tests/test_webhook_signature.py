"""Verification of deliveries."""

from __future__ import annotations

import hashlib
import hmac
import json

import pytest

from mayfly import WebhookVerificationError, verify_webhook

SECRET = "whsec_test"
NOW = 1_800_000_000
EVENT = {
    "id": "evt_1",
    "type": "message.received",
    "createdAt": "2026-01-31T09:30:00.000Z",
    "data": {
        "inbox": {"id": "inb_1", "emailAddress": "qa@mayfly.test"},
        "message": {
            "id": "msg_1",
            "from": {"name": None, "address": "a@b.example"},
            "recipient": "qa@mayfly.test",
            "read": False,
            "subject": "Your code",
            "preview": None,
            "receivedAt": "2026-01-31T09:30:00.000Z",
            "hasAttachments": False,
            "hasOtp": True,
        },
        "otp": {"value": "481516", "confidence": 0.99},
    },
}
BODY = json.dumps(EVENT).encode()


def headers_of(body: bytes = BODY, timestamp: int = NOW, version: str = "v1") -> dict[str, str]:
    signed = f"{timestamp}.".encode() + body
    return {
        "X-Service-Signature": hmac.new(SECRET.encode(), signed, hashlib.sha256).hexdigest(),
        "X-Service-Timestamp": str(timestamp),
        "X-Service-Signature-Version": version,
    }


def test_a_valid_delivery_is_read() -> None:
    event = verify_webhook(headers_of(), BODY, SECRET, now=NOW + 299)
    assert (event.id, event.data.message.from_.address) == ("evt_1", "a@b.example")
    assert event.data.otp is not None
    assert event.data.otp.value == "481516"


@pytest.mark.parametrize(
    ("headers", "body", "now", "reason"),
    [
        (headers_of(), BODY + b" ", NOW, "signature_mismatch"),
        (headers_of(), BODY, NOW + 301, "timestamp_out_of_tolerance"),
        (headers_of(), BODY, NOW - 301, "timestamp_out_of_tolerance"),
        (headers_of(version="v2"), BODY, NOW, "unsupported_version"),
        ({}, BODY, NOW, "missing_header"),
        (headers_of(b"[]"), b"[]", NOW, "invalid_payload"),
        (headers_of(b"{"), b"{", NOW, "invalid_payload"),
    ],
)
def test_any_other_is_refused(headers: dict[str, str], body: bytes, now: int, reason: str) -> None:
    with pytest.raises(WebhookVerificationError) as raised:
        verify_webhook(headers, body, SECRET, now=now)
    assert raised.value.reason == reason
