"""Signs up at a Django application that sends its mail by SMTP, with a throw-away inbox."""

from __future__ import annotations

from typing import Any

import pytest
from django.contrib.auth import get_user_model
from django.test import Client

from mayfly import Inbox, Mayfly


@pytest.fixture(autouse=True)
def mail_goes_to_mayfly(settings: Any, mayfly: Mayfly) -> None:
    """pytest-django replaces the mail backend by one in memory; this one sends."""
    smtp = Mayfly.read_service(base_url=mayfly.base_url).smtp
    settings.EMAIL_BACKEND = "django.core.mail.backends.smtp.EmailBackend"
    settings.EMAIL_HOST, settings.EMAIL_PORT = smtp.host, smtp.port


@pytest.mark.django_db
def test_a_new_user_verifies_their_address(client: Client, inbox: Inbox) -> None:
    with inbox.expect_otp(subject="verify") as code:
        client.post("/signup", {"email": inbox.email_address})
    assert client.post("/verify", {"code": code.value}).status_code == 200
    assert get_user_model().objects.get(username=inbox.email_address).is_active
