"""When a call is sent again."""

from __future__ import annotations

import random

from ._errors import ApiError, ConnectionError

ATTEMPTS_MAX = 4
"""How often a call is sent; one that a rate limit refuses, as often as its time allows."""

_BACKOFF_SECONDS = 0.25
"""Delay before the first retry; it doubles with each further one."""

_RATE_LIMITED = {"requests_per_minute_exceeded", "concurrent_waits_exceeded"}
"""The call was refused before it had any effect, and is soon allowed again."""

_UNAVAILABLE = {502, 503, 504}
"""Responses of a gateway without a service behind it; 503 also of a service that stops."""


def retry_delay_seconds(error: Exception, *, attempt: int, is_repeatable: bool) -> float | None:
    """The delay before a call is sent again, or None when it must not be.

    After a lost connection or a 502, 503 or 504 only an idempotent call is retried: the first one
    may have taken effect. A rate limit (429) is applied before the call, so every call is retried.
    Other statuses are final. The caller decides whether there is time for the delay.
    """
    backoff = _BACKOFF_SECONDS * 2.0 ** min(attempt - 1, 4) * random.uniform(0.8, 1.2)
    if isinstance(error, ConnectionError):
        return backoff if is_repeatable else None
    if not isinstance(error, ApiError):
        return None
    may_retry = is_rate_limited(error) or (is_repeatable and error.status in _UNAVAILABLE)
    return max(backoff, error.retry_after_seconds or 0) if may_retry else None


def is_rate_limited(error: Exception) -> bool:
    """Whether a rate limit refused the call, which had no effect then."""
    return isinstance(error, ApiError) and error.code in _RATE_LIMITED
