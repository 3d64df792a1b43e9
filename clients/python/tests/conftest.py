"""Runs against the service at MAYFLY_BASE_URL, which receives mail at MAYFLY_SMTP_PORT."""

from __future__ import annotations

import os
import smtplib
from collections.abc import Callable, Iterator
from email.message import EmailMessage

import pytest

from mayfly import Inbox, Mayfly

pytest_plugins = ["pytester"]

SendMail = Callable[..., None]


@pytest.fixture(scope="session")
def anyio_backend() -> str:
    return "asyncio"


@pytest.fixture(scope="session")
def client() -> Iterator[Mayfly]:
    with Mayfly(timeout_seconds=10) as client:
        yield client


@pytest.fixture
def own_inbox(client: Mayfly) -> Iterator[Inbox]:
    with client.inboxes.create() as inbox:
        yield inbox


@pytest.fixture
def send_mail() -> SendMail:
    return send


def send(
    to: str,
    *,
    subject: str = "Your code",
    text: str = "Your sign-in code is 481516.",
    sender: str = "Example App <no-reply@app.example>",
) -> None:
    """Sends a mail as an application does."""
    mail = EmailMessage()
    mail["From"], mail["To"], mail["Subject"] = sender, to, subject
    mail.set_content(text)
    with smtplib.SMTP("127.0.0.1", int(os.environ["MAYFLY_SMTP_PORT"])) as smtp:
        smtp.send_message(mail)
