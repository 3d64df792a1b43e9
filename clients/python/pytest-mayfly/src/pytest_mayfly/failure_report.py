"""What is attached to a failed test: the mail of its inboxes, and the diagnostics."""

from __future__ import annotations

from dataclasses import dataclass
from importlib import import_module
from typing import Any

import pytest

from mayfly import Diagnostics, Inbox, MayflyError, Message

MAILS_MAX = 5
"""Most mails that are attached: the newest ones, so that reports stay small."""


@dataclass(frozen=True)
class Attachment:
    """A text of a report."""

    name: str
    content: str
    mime_type: str = "text/plain"
    extension: str = "txt"


def attach_mail(item: pytest.Item, report: pytest.TestReport, inbox: Inbox) -> None:
    """Adds the mail of an inbox to the reports of a failed test."""
    try:
        attachments = _attachments(inbox)
    except MayflyError as error:
        # Not raised: a second error would hide the failure of the test.
        attachments = [Attachment("mayfly", f"The mail could not be read: {error}")]
    shown = [one.content for one in attachments if one.mime_type == "text/plain"]
    report.sections.append((f"Mayfly inbox {inbox.email_address}", "\n\n".join(shown)))
    if item.config.pluginmanager.hasplugin("html"):
        _attach_to_html(report, attachments)
    if item.config.pluginmanager.hasplugin("allure_pytest"):
        _attach_to_allure(attachments)


def _attachments(inbox: Inbox) -> list[Attachment]:
    diagnostics = _diagnostics_text(inbox, inbox.diagnose())
    attachments = [Attachment("mayfly diagnostics", diagnostics)]
    for number, summary in enumerate(inbox.list_messages(limit=MAILS_MAX).messages, start=1):
        mail = inbox.read_message(summary.id)
        name = f"mail {number}: {(mail.subject or 'no subject')[:60]}"
        raw = inbox.read_raw(mail.id).decode("utf-8", "replace")
        attachments += [
            Attachment(name, _mail_text(mail)),
            Attachment(f"{name} (.eml)", raw, "message/rfc822", "eml"),
        ]
    return attachments


def _attach_to_html(report: pytest.TestReport, attachments: list[Attachment]) -> None:
    extras: Any = import_module("pytest_html.extras")
    # As text, never as HTML: a report shows that without a sandbox.
    added: list[Any] = [
        extras.extra(
            one.content, "text", name=one.name, mime_type=one.mime_type, extension=one.extension
        )
        for one in attachments
    ]
    # pytest-html looks for them there; pytest does not declare them.
    report.__dict__["extras"] = [*report.__dict__.get("extras", []), *added]


def _attach_to_allure(attachments: list[Attachment]) -> None:
    allure: Any = import_module("allure")
    for one in attachments:
        allure.attach(
            one.content, name=one.name, attachment_type=one.mime_type, extension=one.extension
        )


def _diagnostics_text(inbox: Inbox, diagnostics: Diagnostics) -> str:
    domain = diagnostics.domain
    return "\n".join(
        [
            f"{inbox.email_address} is {diagnostics.state}; "
            f"its domain {domain.domain} is {domain.status}. Its id is {inbox.id}.",
            *(
                f"{event.at:%H:%M:%S} UTC  {event.stage}  {_one_line(event.detail or '')}".rstrip()
                for event in diagnostics.events
            ),
            *(f"- {step}" for step in diagnostics.next_steps),
        ]
    )


def _mail_text(mail: Message) -> str:
    code = "no code" if mail.otp is None else f"code {mail.otp.value}"
    links = [f"link {link.url}" for link in mail.links]
    header = f'"{_one_line(mail.subject or "")}" from {_one_line(str(mail.from_))}'
    return "\n".join([header, code, *links, "", _printable(mail.text or "")])


def _one_line(text: str) -> str:
    return _printable(text).replace("\n", " ")


def _printable(text: str) -> str:
    """Without characters that control a terminal: the text is a stranger's."""
    return "".join(c if c.isprintable() or c == "\n" else " " for c in text)
