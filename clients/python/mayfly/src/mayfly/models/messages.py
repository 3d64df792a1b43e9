"""Messages and what was found in them."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime
from typing import Literal


@dataclass(frozen=True)
class Address:
    """A mail address with its name; either may be missing in a malformed mail."""

    name: str | None
    address: str | None

    def __str__(self) -> str:
        if not self.name:
            return self.address or ""
        return self.name if self.address is None else f"{self.name} <{self.address}>"


@dataclass(frozen=True)
class Otp:
    """A one-time code that was found in a mail; `confidence` is from 0 to 1."""

    value: str
    confidence: float


@dataclass(frozen=True)
class Link:
    """A link of a mail and its text."""

    url: str
    text: str


@dataclass(frozen=True)
class MessageSummary:
    """A message in a list."""

    id: str
    from_: Address
    recipient: str
    """The address written to: the first of the envelope recipients."""
    subject: str | None
    preview: str | None
    received_at: datetime
    has_attachments: bool
    has_otp: bool
    read: bool


@dataclass(frozen=True)
class Attachment:
    """An attachment; its bytes are read by `download_attachment`."""

    id: str
    filename: str | None
    content_type: str
    size_bytes: int
    content_id: str | None
    inline: bool
    sha256: str
    status: Literal["available", "blocked", "quarantined"]
    reason: str | None
    """Why it is blocked or quarantined."""


@dataclass(frozen=True)
class Header:
    """A header of a mail."""

    name: str
    value: str


@dataclass(frozen=True)
class AuthVerdict:
    """The result of one sender check, in the terms of RFC 8601."""

    result: str
    domain: str | None
    detail: str | None


@dataclass(frozen=True)
class MessageAuth:
    """The results of the sender checks."""

    spf: AuthVerdict
    dkim: AuthVerdict
    dmarc: AuthVerdict


@dataclass(frozen=True)
class Envelope:
    """How a mail was handed over by SMTP."""

    mail_from: str
    """Empty for the null sender of bounces."""
    rcpt_to: str
    remote_address: str
    helo: str | None
    tls: str | None
    """The TLS version, or None without TLS."""


@dataclass(frozen=True)
class ProviderCall:
    """A call of a provider's HTTP API."""

    name: str
    """As in the path of its URL: `sendgrid`."""
    operation: str
    id: str
    """The id that the caller got."""
    tags: tuple[str, ...]
    metadata: dict[str, str]
    scheduled_at: datetime | None
    """When the caller wanted it sent; None: at once."""
    request: object
    """The request without its key; contents of attachments are replaced by their sizes."""


@dataclass(frozen=True)
class Message(MessageSummary):
    """A whole message."""

    inbox_id: str
    recipients: tuple[str, ...]
    """The envelope recipients: in a catch-all inbox all, otherwise only that of this message."""
    to: tuple[Address, ...]
    cc: tuple[Address, ...]
    reply_to: tuple[Address, ...]
    sent_at: datetime | None
    """The Date header."""
    size_bytes: int
    text: str | None
    """The text part, or the readable text of the HTML part."""
    html: str | None
    """The HTML part, sanitised: without scripts, forms, style sheets and remote images, and without
    attributes such as `id` and `class`. `read_raw` has the original.
    """
    otp: Otp | None
    links: tuple[Link, ...]
    """In order of appearance, each URL once."""
    attachments: tuple[Attachment, ...]
    headers: tuple[Header, ...]
    auth: MessageAuth | None
    """None until the checks are done; they run after the mail is stored."""
    envelope: Envelope
    defects: tuple[str, ...]
    """What is malformed in the mail; usually empty."""
    provider: ProviderCall | None = None
    """The call of a provider's API by which it was sent; None for mail by SMTP."""


@dataclass(frozen=True)
class FoundMessage(MessageSummary):
    """A message that a search has found."""

    inbox_id: str


@dataclass(frozen=True)
class SearchPage:
    """One page of a search, newest first; it may be empty and still have a `next_cursor`."""

    messages: tuple[FoundMessage, ...]
    next_cursor: str | None
    indexed_until: datetime


@dataclass(frozen=True)
class MessagePage:
    """One page of messages, newest first; `next_cursor` is None on the last one."""

    messages: tuple[MessageSummary, ...]
    next_cursor: str | None


@dataclass(frozen=True)
class MessageFrame:
    """An address that shows a message by itself, for a minute."""

    url: str
    """Relative to the service."""
    expires_at: datetime
    has_remote_images: bool
    """Whether the message has images of other servers, loaded or not."""


@dataclass(frozen=True)
class OtpCandidate(Otp):
    """A candidate for the code of a mail."""

    reasons_for: tuple[str, ...]
    reasons_against: tuple[str, ...]


@dataclass(frozen=True)
class OtpExplanation:
    """Why a code was found, or why none was; the best candidate first."""

    otp: Otp | None
    candidates: tuple[OtpCandidate, ...]


@dataclass(frozen=True)
class ReceivedOtp(Otp):
    """A one-time code and the message that contains it."""

    message: Message


@dataclass(frozen=True)
class ReceivedLink(Link):
    """A link and the message that contains it."""

    message: Message
