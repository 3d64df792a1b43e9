"""The pytest plugin, in runs of its own."""

from __future__ import annotations

import json
import os
import re
from pathlib import Path

import pytest

from mayfly import Mayfly

pytestmark = pytest.mark.usefixtures("clean_environment")

SENDING = f"""
import sys
sys.path.insert(0, {str(Path(__file__).parent)!r})
from conftest import send
"""

# Plugins that are installed for other tests: loading them takes half of a short run.
UNUSED = ("allure_pytest", "anyio", "django", "html", "html_fixtures", "mailpit", "metadata")
WITHOUT_UNUSED = [argument for name in UNUSED for argument in ("-p", f"no:{name}")]


@pytest.fixture
def clean_environment(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("PYTEST_XDIST_WORKER", raising=False)
    monkeypatch.delenv("PYTEST_ADDOPTS", raising=False)


def test_an_inbox_is_deleted_or_kept_and_its_mail_attached(
    pytester: pytest.Pytester, client: Mayfly
) -> None:
    pytester.makepyfile(
        SENDING
        + """
def test_passes(inbox, inbox_factory):
    other = inbox_factory(ttl_seconds=600)
    assert inbox.email_address != other.email_address
    print("passed", inbox.id, other.id)

def test_fails(inbox):
    send(inbox.email_address, subject="Welcome", text="Thank you.")
    print("failed", inbox.id)
    with inbox.expect_otp(timeout_seconds=1):
        send(inbox.email_address, subject="News", text="None.\\x1b[31m")
"""
    )
    result = pytester.runpytest_subprocess(
        "-rA", "--html=report.html", "--self-contained-html", "--alluredir=allure"
    )
    result.assert_outcomes(passed=1, failed=1)
    output = result.stdout.str()
    passed = re.search(r"^passed (\S+) (\S+)$", output, re.MULTILINE)
    failed = re.search(r"^failed (\S+)$", output, re.MULTILINE)
    assert passed is not None
    assert failed is not None
    left = [inbox.id for inbox in client.inboxes.list().inboxes]
    assert [id in left for id in (*passed.groups(), failed[1])] == [False, False, True]

    # The error begins at the line of the test, and says what arrived.
    assert "mayfly/_sync" not in output
    assert re.search(r'"News": no one-time code was found in it', output)
    assert re.search(r"-+ Mayfly inbox \w+@mayfly\.test -+", output)
    assert "\x1b[31m" not in output

    page = (pytester.path / "report.html").read_text(encoding="utf-8")
    for name in ("mayfly diagnostics", "mail 1: News", "mail 2: Welcome (.eml)"):
        assert name in page
    results = [json.loads(f.read_text()) for f in (pytester.path / "allure").glob("*-result.json")]
    [attached] = [result["attachments"] for result in results if result["status"] == "failed"]
    names = [attachment["name"] for attachment in attached]
    assert {"mayfly diagnostics", "mail 1: News", "mail 1: News (.eml)"} <= set(names)
    client.inboxes.delete(failed[1])


def test_workers_of_xdist_share_a_service_that_the_run_starts(
    pytester: pytest.Pytester, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv("MAYFLY_BASE_URL")
    pytester.makepyfile(
        """
import os, pytest

@pytest.mark.parametrize("number", range(4))
def test_inbox(inbox, mayfly, number):
    print("service", mayfly.base_url, inbox.email_address, os.environ["PYTEST_XDIST_WORKER"])
    assert len(inbox.email_address) > 5
"""
    )
    result = pytester.runpytest_subprocess(
        "-rA",
        "-n",
        "2",
        f"--mayfly-executable={os.environ['MAYFLY_EXECUTABLE']}",
        *WITHOUT_UNUSED,
    )
    result.assert_outcomes(passed=4)
    lines = re.findall(r"^service (\S+) (\S+) (gw\d)$", result.stdout.str(), re.MULTILINE)
    [url] = {url for url, _, _ in lines}
    assert len({address for _, address, _ in lines}) == 4
    # It has stopped.
    with pytest.raises(Exception, match="cannot be reached"):
        Mayfly.read_service(base_url=url)


def test_an_executable_that_does_not_start_is_reported(pytester: pytest.Pytester) -> None:
    pytester.makepyfile("def test_inbox(inbox): pass")
    result = pytester.runpytest_subprocess("--mayfly-executable=false", *WITHOUT_UNUSED)
    assert "`false serve` did not become ready" in result.stdout.str() + result.stderr.str()
    result = pytester.runpytest_subprocess("--mayfly-url", "http://127.0.0.1:9", *WITHOUT_UNUSED)
    assert "http://127.0.0.1:9 cannot be reached" in result.stdout.str()
