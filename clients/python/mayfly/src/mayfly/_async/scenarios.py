"""Calls about scenarios."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime
from typing import Protocol

from .._connection import NETWORK_SECONDS_MAX, WAIT_SECONDS_MAX, Call, path
from .._errors import hidden_by_pytest
from .._json import decode
from ..models.assertions import Assertion, AssertionRun, Scenario
from .requester import AsyncRequester

__tracebackhide__ = hidden_by_pytest


class HasId(Protocol):
    """An inbox, or its record."""

    @property
    def id(self) -> str: ...


class AsyncScenarioCalls:
    """Calls about scenarios."""

    def __init__(self, requester: AsyncRequester) -> None:
        self._requester = requester

    async def create(
        self, *, name: str, assertions: Sequence[Assertion], timeout_seconds: int | None = None
    ) -> Scenario:
        """Saves a scenario; by default it waits 30 seconds, at most 50."""
        body = {"name": name, "assertions": assertions, "timeoutSeconds": timeout_seconds}
        call = Call("POST", path("scenarios"), body=body)
        return decode(Scenario, await self._requester.field("scenario", call))

    async def list(self) -> list[Scenario]:
        """The saved scenarios."""
        scenarios = await self._requester.field("scenarios", Call("GET", path("scenarios")))
        return [decode(Scenario, scenario) for scenario in scenarios]

    async def delete(self, scenario_id: str) -> None:
        """Deletes a scenario."""
        await self._requester.send(Call("DELETE", path("scenarios", scenario_id)))

    async def run(
        self,
        scenario_id: str,
        inbox: HasId,
        *,
        since: datetime | str | None = None,
        after: str | None = None,
    ) -> AssertionRun:
        """Waits for a message in the inbox, checks it and returns the report; see `passed`."""
        call = Call(
            "POST",
            path("scenarios", scenario_id, "run"),
            body={"inboxId": inbox.id, "since": since, "after": after},
            is_repeatable=True,
            seconds_max=WAIT_SECONDS_MAX + NETWORK_SECONDS_MAX,
        )
        return await self._requester.model(AssertionRun, call)
