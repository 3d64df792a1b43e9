"""Waits against the service."""

from __future__ import annotations

import re
from datetime import datetime, timedelta, timezone
from threading import Timer

import httpx
import pytest

from conftest import SendMail, send
from mayfly import (
    AsyncMayfly,
    ContainsText,
    EmailTimeoutError,
    Inbox,
    Mayfly,
    MayflyError,
    OtpPresent,
    UnexpectedEmailError,
)


def test_a_wait_ends_with_the_code_that_arrives_later(own_inbox: Inbox) -> None:
    timer = Timer(0.2, send, [own_inbox.email_address])
    timer.start()
    otp = own_inbox.wait_for_otp()
    timer.join()
    assert (otp.value, otp.message.subject) == ("481516", "Your code")
    assert otp.confidence > 0.5


def test_a_block_waits_for_mail_that_arrives_after_it_began(
    own_inbox: Inbox, send_mail: SendMail
) -> None:
    send_mail(own_inbox.email_address, text="Your sign-in code is 111111.")
    with own_inbox.expect_otp() as code:
        with pytest.raises(MayflyError, match="after the block"):
            _ = code.value
        send_mail(own_inbox.email_address, text="Your sign-in code is 222222.")
    assert code.value == "222222"
    assert str(code) == "222222"
    assert code.message.from_.address == "no-reply@app.example"


def test_an_error_of_the_block_is_raised_without_a_wait(own_inbox: Inbox) -> None:
    with pytest.raises(ZeroDivisionError), own_inbox.expect_message(timeout_seconds=60):
        _ = 1 / 0


def test_a_negative_time_is_refused_before_the_wait(own_inbox: Inbox) -> None:
    refusal = "must be a number, 0 or more, and is -1"
    with pytest.raises(MayflyError, match=f"timeout_seconds {refusal}"):
        own_inbox.wait_for_otp(timeout_seconds=-1)
    with pytest.raises(MayflyError, match=f"timeout_seconds {refusal}"):
        own_inbox.expect_message(timeout_seconds=-1)
    with pytest.raises(MayflyError, match=f"timeout_seconds {refusal}"):
        own_inbox.assert_that(OtpPresent(), timeout_seconds=-1)
    with pytest.raises(MayflyError, match=f"within_seconds {refusal}"):
        own_inbox.wait_for_no_message(within_seconds=-1)
    with pytest.raises(MayflyError, match=f"within_seconds {refusal}"):
        own_inbox.expect_no_message(within_seconds=-1)


def test_a_message_is_found_by_regular_expressions(own_inbox: Inbox, send_mail: SendMail) -> None:
    with own_inbox.expect_message(subject=re.compile("^verify", re.IGNORECASE)) as mail:
        send_mail(own_inbox.email_address, subject="Verify your address")
        send_mail(own_inbox.email_address, subject="Weekly news")
    assert mail.value.subject == "Verify your address"
    assert own_inbox.wait_for_message(subject="NEWS").subject == "Weekly news"


def test_a_link_is_found_by_its_url(own_inbox: Inbox, send_mail: SendMail) -> None:
    with own_inbox.expect_link(link="/verify?") as link:
        text = "Home: https://app.example/ or https://app.example/verify?token=a1"
        send_mail(own_inbox.email_address, text=text)
    assert link.url == "https://app.example/verify?token=a1"


def test_a_timeout_says_what_arrived_and_what_was_refused(client: Mayfly) -> None:
    name = f"ada{datetime.now(timezone.utc):%H%M%S%f}"
    with client.inboxes.create(local_part=name) as inbox:
        send(inbox.email_address, subject="Weekly news", text="Nothing to type in.")
        with pytest.raises(OSError, match=r"550|refused"):
            send(inbox.email_address.replace("@", "a@"))
        with pytest.raises(EmailTimeoutError) as raised:
            inbox.wait_for_message(subject=re.compile("verify"), timeout_seconds=1)
    lines = str(raised.value).splitlines()
    address = inbox.email_address
    assert lines[0] == f"A message with subject /verify/ did not reach {address} within 1 s."
    assert re.search(r'UTC  "Weekly news": its subject does not match /verify/', str(raised.value))
    assert re.search(
        r"Refused:\n  \d\d:\d\d:\d\d UTC  mail for .* was refused: ", str(raised.value)
    )
    assert "What to do next:" in lines
    assert raised.value.diagnostics.considered[0].subject == "Weekly news"
    assert isinstance(raised.value, AssertionError)


def test_a_timeout_names_what_the_test_knows(own_inbox: Inbox, send_mail: SendMail) -> None:
    send_mail(own_inbox.email_address)
    with pytest.raises(EmailTimeoutError) as raised, own_inbox.expect_otp(timeout_seconds=1):
        pass
    assert '"Your code": it had arrived before the block began' in str(raised.value)
    assert "watermark" not in str(raised.value)
    watermark = own_inbox.read().watermark
    with pytest.raises(EmailTimeoutError, match="it had arrived before the watermark was taken"):
        own_inbox.wait_for_otp(after=watermark, timeout_seconds=1)


def test_a_message_is_found_by_a_query(own_inbox: Inbox, send_mail: SendMail) -> None:
    with own_inbox.expect_message(q="subject:receipt -has:otp") as mail:
        send_mail(own_inbox.email_address, subject="Receipt", text="Thank you.")
        send_mail(own_inbox.email_address, subject="Receipt and code")
        send_mail(own_inbox.email_address, subject="Weekly news", text="News.")
    assert mail.value.text == "Thank you.\n"
    assert own_inbox.wait_for_otp(q="subject:receipt").message.subject == "Receipt and code"
    # The newest that the query finds does not match the expression, so the list is searched.
    found = own_inbox.wait_for_message(q="subject:receipt", subject=re.compile("^Receipt$"))
    assert found.id == mail.value.id
    [listed] = own_inbox.list_messages(q="news").messages
    assert listed.subject == "Weekly news"
    own_inbox.assert_that(ContainsText("Thank you"), q="subject:receipt -has:otp")
    own_inbox.wait_for_no_message(q="subject:goodbye", within_seconds=0)
    with pytest.raises(EmailTimeoutError, match='A message with q "subject:goodbye" did not reach'):
        own_inbox.wait_for_message(q="subject:goodbye", timeout_seconds=0)


def test_a_silent_application_is_reported(own_inbox: Inbox) -> None:
    with (
        pytest.raises(EmailTimeoutError, match="No mail arrived for this address"),
        own_inbox.expect_otp(timeout_seconds=1),
    ):
        pass


def test_unexpected_mail_is_described(own_inbox: Inbox, send_mail: SendMail) -> None:
    send_mail(own_inbox.email_address)
    with own_inbox.expect_no_message(within_seconds=1):
        pass
    expected = r'none was expected within 5 s: "Invoice" from "Example App <no-reply@app.example>"'
    with pytest.raises(UnexpectedEmailError, match=expected), own_inbox.expect_no_message():
        send_mail(own_inbox.email_address, subject="Invoice")


def test_since_leaves_out_older_mail(own_inbox: Inbox, send_mail: SendMail) -> None:
    send_mail(own_inbox.email_address)
    received_at = own_inbox.wait_for_message().received_at
    assert own_inbox.wait_for_message(since=received_at).subject == "Your code"
    with pytest.raises(EmailTimeoutError):
        own_inbox.wait_for_message(since=received_at + timedelta(seconds=5), timeout_seconds=1)


def test_a_wait_continues_after_a_restart_of_the_service(
    own_inbox: Inbox, client: Mayfly, send_mail: SendMail
) -> None:
    send_mail(own_inbox.email_address)
    failures = [503, None]
    transport = httpx.HTTPTransport()

    def respond(request: httpx.Request) -> httpx.Response:
        if request.url.path.endswith("/wait") and failures:
            status = failures.pop()
            if status is None:
                raise httpx.ReadError("reset")
            error = {"type": "unavailable", "code": "shutting_down", "message": "Stopping."}
            return httpx.Response(status, json={"error": error})
        return transport.handle_request(request)

    http = httpx.Client(transport=httpx.MockTransport(respond))
    again = Mayfly(api_key=client.api_key, http_client=http)
    assert again.inboxes.get(own_inbox.id).wait_for_otp(timeout_seconds=10).value == "481516"
    assert failures == []
    transport.close()


@pytest.mark.anyio
async def test_the_asynchronous_client_does_the_same(send_mail: SendMail) -> None:
    async with AsyncMayfly(timeout_seconds=10) as client, await client.inboxes.create() as inbox:
        async with inbox.expect_otp() as code:
            send_mail(inbox.email_address)
        assert code.value == "481516"
        run = await inbox.assert_that(OtpPresent(), ContainsText("sign-in"))
        assert run.passed
        with pytest.raises(EmailTimeoutError, match="A link that matches"):
            await inbox.wait_for_link(link="/verify", timeout_seconds=1)
