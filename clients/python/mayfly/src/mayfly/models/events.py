"""Events of an account, one class a type."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime
from typing import Any, Literal

from .diagnostics import DiagnosticEvent
from .inboxes import InboxRecord
from .messages import MessageSummary
from .webhooks import Delivery


@dataclass(frozen=True)
class HeldWait:
    """A wait that a client holds open."""

    id: str
    inbox_id: str
    for_: Literal["message", "otp"]
    deadline: datetime
    """When it ends at the latest."""


@dataclass(frozen=True)
class Reset:
    """`reset`: events may be missing; load again what is shown."""

    id: str
    reason: Literal["not_resumable", "too_slow", "connection_lost"]


@dataclass(frozen=True)
class InboxCounts:
    """The numbers of an inbox with a change."""

    message_count: int
    unread_count: int


@dataclass(frozen=True)
class MessageReceived:
    """`message.received`"""

    id: str
    inbox_id: str
    inbox: InboxCounts
    message: MessageSummary


@dataclass(frozen=True)
class MessageUpdated:
    """`message.updated`: marked as read or unread, or its sender or an attachment was checked."""

    id: str
    inbox_id: str
    inbox: InboxCounts
    message: MessageSummary


@dataclass(frozen=True)
class MessageDeleted:
    """`message.deleted`"""

    id: str
    inbox_id: str
    inbox: InboxCounts
    message_ids: tuple[str, ...]


@dataclass(frozen=True)
class InboxCreated:
    """`inbox.created`"""

    id: str
    inbox: InboxRecord


@dataclass(frozen=True)
class InboxDeleted:
    """`inbox.deleted`"""

    id: str
    inbox_id: str


@dataclass(frozen=True)
class InboxExpired:
    """`inbox.expired`"""

    id: str
    inbox_id: str


@dataclass(frozen=True)
class DiagnosticsAdded:
    """`diagnostics`: a refusal, an injected fault, a near miss or a suspension."""

    id: str
    inbox_id: str
    event: DiagnosticEvent


@dataclass(frozen=True)
class DeliveryUpdated:
    """`delivery.updated`, after each attempt."""

    id: str
    delivery: Delivery


@dataclass(frozen=True)
class WaitStarted:
    """`wait.started`; waits that are open when the stream begins are sent first."""

    id: str
    wait: HeldWait


@dataclass(frozen=True)
class WaitEnded:
    """`wait.ended`"""

    id: str
    wait: HeldWait


@dataclass(frozen=True)
class UnknownEvent:
    """An event of a newer service."""

    id: str
    type: str
    data: dict[str, Any]


AccountEvent = (
    Reset
    | MessageReceived
    | MessageUpdated
    | MessageDeleted
    | InboxCreated
    | InboxDeleted
    | InboxExpired
    | DiagnosticsAdded
    | DeliveryUpdated
    | WaitStarted
    | WaitEnded
    | UnknownEvent
)
"""Something that happened in the account."""

EVENT_CLASSES: dict[str, type[AccountEvent]] = {
    "reset": Reset,
    "message.received": MessageReceived,
    "message.updated": MessageUpdated,
    "message.deleted": MessageDeleted,
    "inbox.created": InboxCreated,
    "inbox.deleted": InboxDeleted,
    "inbox.expired": InboxExpired,
    "diagnostics": DiagnosticsAdded,
    "delivery.updated": DeliveryUpdated,
    "wait.started": WaitStarted,
    "wait.ended": WaitEnded,
}
"""The class of each type of event."""
