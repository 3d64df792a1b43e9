"""A service that runs as long as the tests."""

from __future__ import annotations

import json
import os
import shlex
import signal
import subprocess
import tempfile
import threading
from pathlib import Path
from typing import Any

import pytest

READY_SECONDS_MAX = 60.0
"""Starting takes a second or two; the first start of a clone installs packages."""

STOP_SECONDS_MAX = 15.0
"""The service answers held waits and stops within 10 s."""


class LocalService:
    """A process of `mayfly serve` on free ports, with a database of its own."""

    def __init__(self, command: str) -> None:
        self._output: list[str] = []
        self._ready = threading.Event()
        self._ready_line: dict[str, Any] = {}
        self._folder = tempfile.TemporaryDirectory(prefix="pytest-mayfly-")
        inherited = {
            name: value for name, value in os.environ.items() if not name.startswith("MAYFLY_")
        }
        try:
            self._process = subprocess.Popen(
                [*shlex.split(command), "serve"],
                env={**inherited, **_settings(self._folder.name)},
                stdin=subprocess.DEVNULL,
                stdout=subprocess.PIPE,
                stderr=subprocess.STDOUT,
                text=True,
                encoding="utf-8",
            )
        except OSError as error:
            self._folder.cleanup()
            raise pytest.UsageError(f"--mayfly-executable={command}: {error}") from None
        self._reader = threading.Thread(target=self._read, daemon=True)
        self._reader.start()
        self._await_ready(command)

    @property
    def base_url(self) -> str:
        """Where the API is."""
        return str(self._ready_line["httpUrl"])

    def stop(self) -> None:
        """Stops the process and deletes its data."""
        self._process.send_signal(signal.SIGTERM)
        try:
            self._process.wait(STOP_SECONDS_MAX)
        except subprocess.TimeoutExpired:
            self._process.kill()
            self._process.wait()
        self._reader.join(STOP_SECONDS_MAX)
        self._folder.cleanup()

    def _await_ready(self, command: str) -> None:
        self._ready.wait(READY_SECONDS_MAX)
        if self._ready_line:
            return
        self.stop()
        output = "\n".join(self._output[-20:])
        raise pytest.UsageError(f"`{command} serve` did not become ready:\n{output}")

    def _read(self) -> None:
        # Read to the end: a full pipe would stop the service.
        assert self._process.stdout is not None
        for line in self._process.stdout:
            self._output.append(line.rstrip())
            if '"msg":"ready"' in line:
                self._ready_line = json.loads(line)
                self._ready.set()
        self._process.stdout.close()
        self._ready.set()


def _settings(folder: str) -> dict[str, str]:
    return {
        "MAYFLY_HTTP_PORT": "0",
        "MAYFLY_SMTP_PORT": "0",
        "MAYFLY_DATABASE_URL": f"sqlite:{Path(folder) / 'mayfly.db'}",
        "MAYFLY_DEFAULT_PLAN": "unlimited",
    }
