"""Rules by which an inbox refuses mail."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime
from typing import Literal

FaultPhase = Literal["authentication", "sender", "recipient", "data"]
"""What is refused: SMTP AUTH, the sender, the recipient, or the mail after its content."""


@dataclass(frozen=True)
class FaultRule:
    """A rule to set: refuses all mail unless `times` or `probability` (percent) is given."""

    phase: FaultPhase
    code: int
    text: str | None = None
    times: int | None = None
    probability: int | None = None


@dataclass(frozen=True)
class ActiveFaultRule:
    """A rule that an inbox has; `times_left` is None for one without `times`."""

    phase: FaultPhase
    code: int
    text: str
    times_left: int | None
    probability: int | None


@dataclass(frozen=True)
class Faults:
    """The rules of an inbox that are left; `expires_at` is None without rules."""

    rules: tuple[ActiveFaultRule, ...]
    expires_at: datetime | None
