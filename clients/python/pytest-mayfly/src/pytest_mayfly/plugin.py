"""The plugin: options, fixtures, and what happens when a test fails.

A run uses one service: that of `--mayfly-url`, the one that `--mayfly-executable` starts, or that
of the environment. With pytest-xdist the controller starts it, and the workers are told its URL.
"""

from __future__ import annotations

from collections.abc import Callable, Generator, Iterator
from pathlib import Path
from typing import Any

import pytest

from mayfly import Inbox, Mayfly

from .failure_report import attach_mail
from .local_service import LocalService

InboxFactory = Callable[..., Inbox]

LOCAL_SERVICE = pytest.StashKey[LocalService]()
INBOXES = pytest.StashKey[list[Inbox]]()
HAS_FAILED = pytest.StashKey[bool]()

WORKER_URL = "mayfly_url"
"""The service of the controller, among what xdist passes to a worker."""


def pytest_addoption(parser: pytest.Parser) -> None:
    group = parser.getgroup("mayfly")
    group.addoption(
        "--mayfly-url",
        metavar="URL",
        help="the service; by default MAYFLY_BASE_URL, then http://127.0.0.1:8025",
    )
    group.addoption(
        "--mayfly-executable",
        metavar="COMMAND",
        help="starts a service for this run with COMMAND serve (such as ./mayfly or 'npx mayfly')",
    )
    parser.addini("mayfly_url", "like --mayfly-url")
    parser.addini("mayfly_executable", "like --mayfly-executable")
    parser.addini("mayfly_timeout", "default timeout of waits, in seconds", default="30")


@pytest.hookimpl(optionalhook=True)
def pytest_configure_node(node: Any) -> None:
    """Called by xdist in the controller before it starts a worker."""
    node.workerinput[WORKER_URL] = _service_url(node.config)


def pytest_unconfigure(config: pytest.Config) -> None:
    service = config.stash.get(LOCAL_SERVICE, None)
    if service is not None:
        service.stop()
        del config.stash[LOCAL_SERVICE]


@pytest.hookimpl(hookwrapper=True)
def pytest_runtest_makereport(
    item: pytest.Item, call: pytest.CallInfo[None]
) -> Generator[None, Any, None]:
    outcome = yield
    report: pytest.TestReport = outcome.get_result()
    if not report.failed or call.when == "teardown":
        return
    item.stash[HAS_FAILED] = True
    for inbox in item.stash.get(INBOXES, list[Inbox]()):
        attach_mail(item, report, inbox)


@pytest.fixture(scope="session")
def mayfly(pytestconfig: pytest.Config) -> Iterator[Mayfly]:
    """The client. Its key is MAYFLY_API_KEY, or that of a service on this machine."""
    url = _service_url(pytestconfig)
    timeout_seconds = float(pytestconfig.getini("mayfly_timeout"))
    key = _key(pytestconfig, url)
    with Mayfly(base_url=url, api_key=key, timeout_seconds=timeout_seconds) as client:
        yield client


@pytest.fixture
def inbox_factory(request: pytest.FixtureRequest, mayfly: Mayfly) -> Iterator[InboxFactory]:
    """Creates inboxes for a test, with the options of `mayfly.inboxes.create`.

    They are deleted at the end of the test, and kept when it failed.
    """
    item: pytest.Item = request.node
    inboxes = item.stash.setdefault(INBOXES, [])

    def create(**options: Any) -> Inbox:
        inbox = mayfly.inboxes.create(**options)
        inboxes.append(inbox)
        return inbox

    yield create
    if not item.stash.get(HAS_FAILED, False):
        for inbox in inboxes:
            inbox.delete()
    inboxes.clear()


@pytest.fixture
def inbox(inbox_factory: InboxFactory) -> Inbox:
    """A new inbox for the test."""
    return inbox_factory()


def _service_url(config: pytest.Config) -> str | None:
    """The URL of the service of this run; None is the client's default."""
    worker_input: dict[str, Any] | None = getattr(config, "workerinput", None)
    if worker_input is not None:
        url: str | None = worker_input[WORKER_URL]
        return url
    url, executable = _setting(config, "mayfly_url"), _setting(config, "mayfly_executable")
    if url is not None or executable is None:
        return url
    if LOCAL_SERVICE not in config.stash:
        config.stash[LOCAL_SERVICE] = LocalService(executable)
    return config.stash[LOCAL_SERVICE].base_url


def _key(config: pytest.Config, url: str | None) -> str | None:
    """The key of a service that this run has started; None lets the client find one."""
    is_url_given = _setting(config, "mayfly_url") is not None
    if is_url_given or _setting(config, "mayfly_executable") is None:
        return None
    # Not left to the client: MAYFLY_API_KEY belongs to another service.
    file = Mayfly.read_service(base_url=url).local_key_file
    return None if file is None else Path(file).read_text(encoding="utf-8").strip()


def _setting(config: pytest.Config, name: str) -> str | None:
    """An option of the command line, or the same in the configuration file."""
    return config.getoption(name) or config.getini(name) or None
