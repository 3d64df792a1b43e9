"""Signs up at an application in a browser, with a throw-away inbox."""

from __future__ import annotations

from playwright.sync_api import Page, expect

from mayfly import Inbox


def test_a_new_user_verifies_their_address_with_the_code_from_the_mail(
    page: Page, inbox: Inbox
) -> None:
    page.goto("/")
    page.get_by_label("Email").fill(inbox.email_address)
    with inbox.expect_otp() as code:
        page.get_by_role("button", name="Sign up").click()
    page.get_by_label("Code").fill(code.value)
    page.get_by_role("button", name="Verify").click()
    expect(page.get_by_text("Welcome!")).to_be_visible()


def test_the_link_in_the_mail_does_the_same(page: Page, inbox: Inbox) -> None:
    page.goto("/")
    page.get_by_label("Email").fill(inbox.email_address)
    with inbox.expect_link(link="/verify?") as link:
        page.get_by_role("button", name="Sign up").click()
    page.goto(link.url)
    expect(page.get_by_text("Welcome!")).to_be_visible()
