"""Calls about the messages of one inbox."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Literal

from .._connection import Call, path
from .._errors import hidden_by_pytest
from ..models.html_check import HtmlCheck
from ..models.messages import Message, MessageFrame, MessagePage, MessageSummary, OtpExplanation
from .requester import AsyncRequester

__tracebackhide__ = hidden_by_pytest


class AsyncMessageCalls:
    """Calls about the messages of one inbox; the base of an inbox."""

    def __init__(self, requester: AsyncRequester, inbox_id: str) -> None:
        self._requester = requester
        self._inbox_id = inbox_id

    async def list_messages(
        self,
        *,
        limit: int | None = None,
        cursor: str | None = None,
        after: str | None = None,
        q: str | None = None,
    ) -> MessagePage:
        """One page of messages, newest first; `limit` is at most 100, by default 50.

        `q` is a search query such as `from:acme -has:attachment`.
        """
        query = {"limit": limit, "cursor": cursor, "after": after, "q": q}
        return await self._requester.model(MessagePage, self._call("GET", query=query))

    async def read_message(
        self,
        message_id: str,
        *,
        remote_images: Literal["block", "allow"] | None = None,
        otp_format: str | None = None,
    ) -> Message:
        """A whole message; `remote_images` says whether `html` keeps remote images.

        With `otp_format`, such as `999999`, only values of that form count as its code.
        """
        query = {"remoteImages": remote_images, "otpFormat": otp_format}
        return await self._requester.model(Message, self._call("GET", message_id, query=query))

    async def read_raw(self, message_id: str) -> bytes:
        """The raw bytes of a message."""
        return (await self._requester.send(self._call("GET", message_id, "raw"))).content

    async def read_transcript(self, message_id: str) -> list[str]:
        """The SMTP session of a message; `C:` is the sender, `S:` is Mayfly."""
        call = self._call("GET", message_id, "transcript")
        return [str(line) for line in await self._requester.field("lines", call)]

    async def check_html(self, message_id: str) -> HtmlCheck:
        """Which mail clients support the HTML of a message."""
        return await self._requester.model(HtmlCheck, self._call("GET", message_id, "html-check"))

    async def explain_otp(self, message_id: str) -> OtpExplanation:
        """Why a code was found in a message, or why none was."""
        return await self._requester.model(OtpExplanation, self._call("GET", message_id, "otp"))

    async def download_attachment(self, message_id: str, attachment_id: str) -> bytes:
        """The bytes of an attachment; raises `attachment_blocked` for a dangerous type."""
        call = self._call("GET", message_id, "attachments", attachment_id)
        return (await self._requester.send(call)).content

    async def create_frame(
        self, message_id: str, *, remote_images: Literal["block", "allow"] | None = None
    ) -> MessageFrame:
        """A temporary URL that shows a message in an iframe; it needs no key."""
        call = self._call("POST", message_id, "frame", body={"remoteImages": remote_images})
        return await self._requester.model(MessageFrame, call)

    async def mark_read(self, message_id: str, *, read: bool = True) -> MessageSummary:
        """Marks a message as read, or as unread. Reading a message does not mark it."""
        call = self._call("PATCH", message_id, body={"read": read})
        return await self._requester.model(MessageSummary, call)

    async def delete_message(self, message_id: str) -> None:
        """Deletes a message with all its content."""
        await self._requester.send(self._call("DELETE", message_id))

    async def delete_messages(self) -> None:
        """Deletes all messages of the inbox."""
        await self._requester.send(self._call("DELETE"))

    def _call(
        self,
        method: str,
        *segments: str,
        query: Mapping[str, str | int | None] | None = None,
        body: object = None,
    ) -> Call:
        whole = path("inboxes", self._inbox_id, "messages", *segments)
        return Call(method, whole, query=query or {}, body=body)
