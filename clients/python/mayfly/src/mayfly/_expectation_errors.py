"""Errors of a wait or a check, which say what happened instead."""

from __future__ import annotations

from ._errors import MayflyError
from .models.assertions import AssertionRun
from .models.diagnostics import WaitDiagnostics
from .models.messages import Message


class EmailTimeoutError(MayflyError, AssertionError):
    """The expected mail did not arrive. The message says what did."""

    __module__ = "mayfly"

    def __init__(
        self,
        message: str,
        *,
        email_address: str,
        timeout_seconds: float,
        diagnostics: WaitDiagnostics,
    ) -> None:
        super().__init__(message)
        self.email_address = email_address
        self.timeout_seconds = timeout_seconds
        self.diagnostics = diagnostics
        """What arrived and did not match, what was refused, and what to do next."""


class UnexpectedEmailError(MayflyError, AssertionError):
    """A mail arrived although none was expected."""

    __module__ = "mayfly"

    def __init__(self, message: str, email: Message) -> None:
        super().__init__(message)
        self.email = email


class AssertionsFailedError(MayflyError, AssertionError):
    """An assertion failed."""

    __module__ = "mayfly"

    def __init__(self, message: str, run: AssertionRun) -> None:
        super().__init__(message)
        self.run = run
