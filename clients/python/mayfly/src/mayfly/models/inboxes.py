"""Inboxes as the service returns them."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime

from .diagnostics import InboxState
from .keys import Environment


@dataclass(frozen=True)
class InboxRecord:
    """An inbox as the service returns it."""

    id: str
    email_address: str
    created_at: datetime
    expires_at: datetime | None
    """None for a catch-all inbox, which does not expire."""
    message_count: int
    unread_count: int
    """Messages that are not marked as read."""
    state: InboxState
    environment: Environment
    """The environment of the key that created it."""
    watermark: str
    """Marks what has arrived so far. Pass it as `after` to match only later mail."""
    catch_all: bool
    """Whether it is a catch-all inbox, which takes mail for any recipient."""
    keep_messages: int | None
    """How many of its newest messages a catch-all inbox keeps; None for others."""


@dataclass(frozen=True)
class InboxRecordPage:
    """One page of inboxes as the service returns it."""

    inboxes: tuple[InboxRecord, ...]
    next_cursor: str | None
