"""Signs up at an application over HTTP, with a throw-away inbox."""

from __future__ import annotations

import os
import re

import httpx

from mayfly import ContainsText, Inbox, OtpPresent

APP_URL = os.environ.get("APP_URL", "http://127.0.0.1:3000")


def submit(path: str, **fields: str) -> str:
    """Fills in a form of the application, as its pages do."""
    return httpx.post(f"{APP_URL}{path}", data=fields, timeout=30).text


def test_a_new_user_verifies_their_address_with_the_code_from_the_mail(inbox: Inbox) -> None:
    with inbox.expect_otp() as code:
        submit("/signup", email=inbox.email_address)
    assert "Welcome!" in submit("/verify", email=inbox.email_address, code=code.value)


def test_the_link_in_the_mail_does_the_same(inbox: Inbox) -> None:
    with inbox.expect_link(link="/verify?") as link:
        submit("/signup", email=inbox.email_address)
    assert "Welcome!" in httpx.get(link.url, timeout=30).text


def test_the_mail_reads_as_it_should(inbox: Inbox) -> None:
    submit("/signup", email=inbox.email_address)
    mail = inbox.wait_for_message(from_="no-reply@app.example", subject=re.compile("^Verify"))
    assert mail.otp is not None
    inbox.assert_that(OtpPresent(), ContainsText("your verification code is"))


def test_nobody_is_mailed_without_asking(inbox: Inbox) -> None:
    with inbox.expect_no_message(within_seconds=1):
        httpx.get(APP_URL, timeout=30)
