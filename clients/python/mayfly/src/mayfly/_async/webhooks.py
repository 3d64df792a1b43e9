"""Calls about webhooks."""

from __future__ import annotations

from .._connection import Call, path
from .._errors import hidden_by_pytest
from .._json import decode
from ..models.webhooks import CreatedWebhook, DeliveryPage, ReplayResult, TestDelivery, Webhook
from .requester import AsyncRequester

__tracebackhide__ = hidden_by_pytest


class AsyncWebhookCalls:
    """Calls about webhooks."""

    def __init__(self, requester: AsyncRequester) -> None:
        self._requester = requester

    async def create(self, url: str) -> CreatedWebhook:
        """Registers an `https://` endpoint; the signing secret is returned only here."""
        call = Call("POST", path("webhooks"), body={"url": url})
        return await self._requester.model(CreatedWebhook, call)

    async def list(self) -> list[Webhook]:
        """The registered webhooks."""
        webhooks = await self._requester.field("webhooks", Call("GET", path("webhooks")))
        return [decode(Webhook, webhook) for webhook in webhooks]

    async def delete(self, webhook_id: str) -> None:
        """Deletes a webhook."""
        await self._requester.send(Call("DELETE", path("webhooks", webhook_id)))

    async def deliveries(
        self, *, limit: int | None = None, cursor: str | None = None
    ) -> DeliveryPage:
        """The delivery log, newest first."""
        query = {"limit": limit, "cursor": cursor}
        call = Call("GET", path("webhooks", "deliveries"), query=query)
        return await self._requester.model(DeliveryPage, call)

    async def replay(self, delivery_id: str) -> ReplayResult:
        """Resends a past delivery with a new signature."""
        call = Call("POST", path("webhooks", "deliveries", delivery_id, "replay"))
        return await self._requester.model(ReplayResult, call)

    async def test(self, webhook_id: str) -> TestDelivery:
        """Sends one signed sample event; returns the result."""
        call = Call("POST", path("webhooks", webhook_id, "test"))
        return await self._requester.model(TestDelivery, call)
