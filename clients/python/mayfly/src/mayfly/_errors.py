"""Errors of a call."""

from __future__ import annotations


class MayflyError(Exception):
    """The base class of every error of this client."""

    __module__ = "mayfly"


class ConnectionError(MayflyError):
    """The service could not be reached, or did not respond in time."""

    __module__ = "mayfly"


class ApiError(MayflyError):
    """The service responded with an error. Branch on `code`."""

    __module__ = "mayfly"

    def __init__(
        self,
        message: str,
        *,
        status: int,
        type: str,
        code: str,
        request_id: str | None,
        retry_after_seconds: float | None,
        call: str,
        body: object,
    ) -> None:
        request = "" if request_id is None else f", request {request_id}"
        super().__init__(f"{message} ({status} {code}, {call}{request})")
        self.status = status
        self.type = type
        self.code = code
        self.request_id = request_id
        """Identifies the request in the log of the service."""
        self.retry_after_seconds = retry_after_seconds
        """How long to wait before trying again, when the service said so."""
        self.body = body
        """The whole body, where it was JSON."""


def hidden_by_pytest(excinfo: object) -> bool:
    """For `__tracebackhide__`: pytest then shows the line of the test, not those of this client.

    Any other error is a bug of ours, whose frames are to be seen.
    """
    return isinstance(getattr(excinfo, "value", None), MayflyError)
