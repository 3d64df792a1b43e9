"""Rules by which an inbox refuses mail."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime
from typing import Literal

FaultPhase = Literal["authentication", "sender", "recipient", "data", "api"]
"""What is refused: SMTP AUTH, the sender, the recipient, the mail after its content, or the call of
a provider's API.
"""


@dataclass(frozen=True)
class FaultRule:
    """A rule to set: refuses all mail unless `times` or `probability` (percent) is given.

    `code` is the SMTP code; the phase `api` has an HTTP `status` instead, or only `delay_ms`.
    """

    phase: FaultPhase
    code: int | None = None
    text: str | None = None
    times: int | None = None
    probability: int | None = None
    status: int | None = None
    retry_after_seconds: int | None = None
    delay_ms: int | None = None


@dataclass(frozen=True)
class ActiveFaultRule:
    """A rule that an inbox has; `times_left` is None for one without `times`."""

    phase: FaultPhase
    text: str
    times_left: int | None
    probability: int | None
    code: int | None = None
    """The SMTP code; None for the phase `api`."""
    status: int | None = None
    retry_after_seconds: int | None = None
    delay_ms: int | None = None


@dataclass(frozen=True)
class Faults:
    """The rules of an inbox that are left; `expires_at` is None without rules."""

    rules: tuple[ActiveFaultRule, ...]
    expires_at: datetime | None
