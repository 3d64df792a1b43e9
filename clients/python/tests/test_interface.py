"""The rest of the interface against the service."""

from __future__ import annotations

import os
import uuid

import pytest

from conftest import SendMail
from mayfly import (
    ApiError,
    AssertionsFailedError,
    AsyncMayfly,
    ContainsText,
    FaultRule,
    Inbox,
    InboxCreated,
    Mayfly,
    MessageReceived,
    OtpPresent,
    SenderAuth,
)


def test_an_account_its_keys_and_its_usage() -> None:
    email = f"{uuid.uuid4()}@example.com"
    registration = Mayfly.register_account(email, name="Ada")
    with Mayfly(api_key=registration.api_key) as client:
        overview = client.account.read()
        assert (overview.account.email, overview.account.name) == (email, "Ada")
        assert overview.limits.inboxes_per_day is None
        assert client.account.usage(days=2)[-1].by_environment.live.requests >= 1
        issued = client.keys.create(name="CI", environment="test", role="member")
        assert [key.name for key in client.keys.list() if key.id == issued.key.id] == ["CI"]
        client.keys.revoke(issued.key.id)
        old = client.api_key
        assert client.keys.rotate().api_key == client.api_key != old
        signed_in = Mayfly.sign_in(client.account.create_sign_in_link().url.partition("#")[2])
        assert signed_in.api_key.startswith("mf_")


def test_messages(own_inbox: Inbox, client: Mayfly, send_mail: SendMail) -> None:
    send_mail(own_inbox.email_address)
    message = own_inbox.wait_for_message()
    [summary] = own_inbox.list_messages(limit=1).messages
    assert (summary.id, summary.read) == (message.id, False)
    assert own_inbox.mark_read(message.id).read
    assert b"Your sign-in code is 481516." in own_inbox.read_raw(message.id)
    assert any(line.startswith("S: 250") for line in own_inbox.read_transcript(message.id))
    assert own_inbox.explain_otp(message.id).candidates[0].value == "481516"
    assert next(event.stage for event in own_inbox.diagnose().events) == "inbox.created"
    frame = own_inbox.create_frame(message.id)
    assert frame.url.startswith("/frame/")
    assert frame.has_remote_images is False
    own_inbox.delete_message(message.id)
    own_inbox.delete_messages()
    assert own_inbox.read().message_count == 0
    assert own_inbox.id in [inbox.id for inbox in client.inboxes.list().inboxes]
    own_inbox.delete()
    own_inbox.delete()
    with pytest.raises(ApiError, match="inbox_not_found"):
        client.inboxes.get(own_inbox.id)


def test_inboxes_are_listed_by_pages(own_inbox: Inbox, client: Mayfly) -> None:
    with client.inboxes.create() as newer:
        first = client.inboxes.list(limit=1)
        second = client.inboxes.list(limit=1, state="all", cursor=first.next_cursor)
        assert [inbox.id for inbox in (*first.inboxes, *second.inboxes)] == [newer.id, own_inbox.id]


def test_an_inbox_is_created_once_for_a_key(client: Mayfly) -> None:
    key = str(uuid.uuid4())
    first = client.inboxes.create(ttl_seconds=600, idempotency_key=key)
    second = client.inboxes.create(ttl_seconds=600, idempotency_key=key)
    assert first.id == second.id
    first.delete()


def test_assertions_and_scenarios(own_inbox: Inbox, client: Mayfly, send_mail: SendMail) -> None:
    send_mail(own_inbox.email_address)
    assertions = [OtpPresent(), ContainsText("sign-in"), SenderAuth("dkim", expect="none")]
    assert own_inbox.assert_that(*assertions).arrival_seconds == 0
    with pytest.raises(AssertionsFailedError) as raised:
        own_inbox.assert_that(OtpPresent(), ContainsText("Goodbye"))
    lines = str(raised.value).splitlines()
    assert lines[0] == f'1 of 2 assertions failed on "Your code" to {own_inbox.email_address}.'
    assert lines[1].startswith("  passed  otpPresent: ")
    assert lines[2].startswith("  FAILED  containsText: ")
    scenario = client.scenarios.create(name="sign-up", assertions=assertions, timeout_seconds=5)
    assert scenario.assertions == tuple(assertions)
    assert client.scenarios.run(scenario.id, own_inbox).passed
    client.scenarios.delete(scenario.id)
    assert scenario.id not in [one.id for one in client.scenarios.list()]


def test_a_search_finds_mail_of_all_inboxes(
    own_inbox: Inbox, client: Mayfly, send_mail: SendMail
) -> None:
    word = uuid.uuid4().hex
    send_mail(own_inbox.email_address, text=f"The reference is {word}.")
    page = client.search(f"from:app.example {word}")
    assert [message.inbox_id for message in page.messages] == [own_inbox.id]
    assert not own_inbox.check_html(page.messages[0].id).has_html


def test_faults_refuse_mail(own_inbox: Inbox, send_mail: SendMail) -> None:
    own_inbox.set_faults([FaultRule("recipient", 451, text="Try later", times=2)])
    with pytest.raises(OSError, match="Try later"):
        send_mail(own_inbox.email_address)
    [rule] = own_inbox.read_faults().rules
    assert (rule.phase, rule.code, rule.times_left) == ("recipient", 451, 1)
    own_inbox.delete_faults()
    send_mail(own_inbox.email_address)
    assert own_inbox.wait_for_otp().value == "481516"


def test_domains_and_webhooks(client: Mayfly) -> None:
    assert client.domains.list()[0].status == "active"
    domain = client.domains.register(f"{uuid.uuid4()}.example.com")
    assert (domain.state, domain.mx_record.type) == ("pending", "MX")
    assert domain.domain in [one.domain for one in client.domains.list_custom()]
    client.domains.delete(domain.domain)
    created = client.webhooks.create("https://app.example/hook")
    assert created.secret.startswith("whsec_")
    assert client.webhooks.list()[0].id == created.webhook.id
    assert client.webhooks.deliveries(limit=1).next_cursor is None
    client.webhooks.delete(created.webhook.id)


def test_events(client: Mayfly, send_mail: SendMail) -> None:
    created: list[Inbox] = []
    events = client.events(on_open=lambda: created.append(client.inboxes.create()))
    first = next(event for event in events if isinstance(event, InboxCreated))
    assert first.inbox.id == created[0].id
    send_mail(created[0].email_address)
    received = next(event for event in events if isinstance(event, MessageReceived))
    assert (received.inbox_id, received.message.has_otp) == (created[0].id, True)
    events.close()
    created[0].delete()


@pytest.mark.anyio
async def test_events_of_the_asynchronous_client(send_mail: SendMail) -> None:
    async with AsyncMayfly() as client, await client.inboxes.create() as inbox:
        events = client.events(on_open=lambda: send_mail(inbox.email_address))
        async for event in events:
            if isinstance(event, MessageReceived):
                assert event.inbox_id == inbox.id
                break
        await events.aclose()


def test_the_service_is_described() -> None:
    assert Mayfly.read_service().smtp.port == int(os.environ["MAYFLY_SMTP_PORT"])
