"""Retries, and errors of a call."""

from __future__ import annotations

import re
import socket
from collections.abc import Callable
from pathlib import Path
from threading import Thread

import httpx
import pytest

from mayfly import ApiError, ConnectionError, Mayfly, MayflyError

Handler = Callable[[httpx.Request], httpx.Response]


@pytest.fixture
def slept(monkeypatch: pytest.MonkeyPatch) -> list[float]:
    slept: list[float] = []
    monkeypatch.setattr("time.sleep", slept.append)
    return slept


def client_of(
    *responses: httpx.Response | Exception, api_key: str = "mf_test_key"
) -> tuple[Mayfly, list[httpx.Request]]:
    """A client that gets these responses one after another."""
    requests: list[httpx.Request] = []

    def respond(request: httpx.Request) -> httpx.Response:
        response = responses[len(requests)]
        requests.append(request)
        if isinstance(response, Exception):
            raise response
        return response

    http = httpx.Client(transport=httpx.MockTransport(respond))
    client = Mayfly(api_key=api_key, base_url="http://mayfly.test/", http_client=http)
    return client, requests


def refusal(status: int, code: str, retry_after: str | None = None) -> httpx.Response:
    headers = {} if retry_after is None else {"retry-after": retry_after}
    error = {"type": "t", "code": code, "message": "No.", "requestId": "req_1"}
    return httpx.Response(status, headers=headers, json={"error": error})


NO_KEYS = httpx.Response(200, json={"keys": []})


@pytest.mark.parametrize(
    "failure",
    [
        refusal(503, "shutting_down"),
        refusal(429, "requests_per_minute_exceeded"),
        httpx.Response(502, text="<html>Bad gateway</html>"),
        httpx.ConnectError("refused"),
    ],
)
def test_a_read_is_sent_again(failure: httpx.Response | Exception, slept: list[float]) -> None:
    client, requests = client_of(failure, NO_KEYS)
    assert client.keys.list() == []
    assert len(requests) == 2
    assert 0.2 <= slept[0] <= 0.3


def test_retry_after_is_observed(slept: list[float]) -> None:
    client, _ = client_of(refusal(429, "requests_per_minute_exceeded", "7"), NO_KEYS)
    client.keys.list()
    assert slept == [7]


def test_a_retry_after_beyond_the_time_of_the_call_is_an_error(slept: list[float]) -> None:
    client, requests = client_of(refusal(429, "requests_per_minute_exceeded", "31"))
    with pytest.raises(ApiError) as raised:
        client.keys.list()
    assert raised.value.retry_after_seconds == 31
    assert (len(requests), slept) == (1, [])


def test_a_call_is_sent_at_most_four_times(slept: list[float]) -> None:
    client, requests = client_of(*[refusal(503, "shutting_down")] * 4)
    with pytest.raises(ApiError, match="shutting_down"):
        client.keys.list()
    assert (len(requests), len(slept)) == (4, 3)


def test_a_rate_limit_is_borne_for_longer(slept: list[float]) -> None:
    limited = refusal(429, "requests_per_minute_exceeded", "1")
    client, requests = client_of(*[limited] * 6, NO_KEYS)
    assert client.keys.list() == []
    assert (len(requests), len(slept)) == (7, 6)


@pytest.mark.usefixtures("slept")
def test_a_post_that_may_have_taken_effect_is_not_sent_again() -> None:
    client, requests = client_of(refusal(503, "shutting_down"))
    with pytest.raises(ApiError):
        client.keys.create(name="CI")
    assert len(requests) == 1


@pytest.mark.usefixtures("slept")
def test_creating_an_inbox_is_sent_again_with_the_same_idempotency_key() -> None:
    client, requests = client_of(httpx.ReadError("reset"), refusal(400, "invalid_parameter"))
    with pytest.raises(ApiError, match="invalid_parameter"):
        client.inboxes.create()
    first, second = (request.headers["idempotency-key"] for request in requests)
    assert first == second


@pytest.mark.usefixtures("slept")
def test_a_repeated_delete_that_finds_nothing_has_succeeded() -> None:
    client, _ = client_of(httpx.ReadError("reset"), refusal(404, "key_not_found"))
    client.keys.revoke("key_1")
    client, _ = client_of(refusal(404, "key_not_found"))
    with pytest.raises(ApiError):
        client.keys.revoke("key_1")


def test_an_error_names_the_call_and_the_request() -> None:
    client, _ = client_of(refusal(404, "key_not_found"))
    with pytest.raises(ApiError) as raised:
        client.keys.revoke("key/1")
    message = "No. (404 key_not_found, DELETE /v1/keys/key%2F1, request req_1)"
    assert str(raised.value) == message
    assert (raised.value.status, raised.value.code) == (404, "key_not_found")


@pytest.mark.usefixtures("slept")
def test_a_service_that_cannot_be_reached_is_named() -> None:
    with (
        Mayfly(api_key="mf_test_key", base_url="http://127.0.0.1:9") as client,
        pytest.raises(ConnectionError, match=r"http://127.0.0.1:9 cannot be reached: .*refused"),
    ):
        client.keys.list()


@pytest.mark.usefixtures("slept")
def test_a_port_of_smtp_is_named() -> None:
    with socket.create_server(("127.0.0.1", 0)) as server:
        greet = Thread(target=lambda: greeting(server), daemon=True)
        greet.start()
        url = f"http://127.0.0.1:{server.getsockname()[1]}"
        with (
            Mayfly(api_key="mf_test_key", base_url=url) as client,
            pytest.raises(ConnectionError, match=r"did not answer with HTTP: .* SMTP \(1025\)\?"),
        ):
            client.keys.create(name="CI")


def greeting(server: socket.socket) -> None:
    connection, _ = server.accept()
    with connection:
        connection.sendall(b"220 mail.example ESMTP\r\n")
        connection.recv(4096)


@pytest.mark.parametrize("seconds", [-1, float("nan"), float("inf")])
def test_a_time_that_cannot_be_waited_is_refused(seconds: float) -> None:
    with pytest.raises(MayflyError, match="timeout_seconds must be a number, 0 or more, and is"):
        Mayfly(api_key="mf_test_key", timeout_seconds=seconds)


def test_a_page_of_another_program_is_named() -> None:
    client, _ = client_of(httpx.Response(200, text="<h1>Hello\x1b[31m</h1>"))
    with pytest.raises(MayflyError, match=r'not from Mayfly: "<h1>Hello \[31m</h1>"'):
        client.keys.list()


def test_a_missing_key_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("MAYFLY_API_KEY", raising=False)
    for url in ["https://mayfly.example", "http://127.0.0.1.example", "http://10.0.0.1"]:
        with pytest.raises(MayflyError, match="set MAYFLY_API_KEY"):
            Mayfly(base_url=url)


def local_service(
    monkeypatch: pytest.MonkeyPatch, *key_files: str | None
) -> tuple[Mayfly, list[httpx.Request]]:
    """A client without a key, of a service on this machine that names these files in turn."""
    monkeypatch.delenv("MAYFLY_API_KEY", raising=False)
    requests: list[httpx.Request] = []
    files = iter(key_files)

    def respond(request: httpx.Request) -> httpx.Response:
        requests.append(request)
        if request.url.path == "/v1/service":
            return httpx.Response(200, json={"localKeyFile": next(files)})
        return httpx.Response(200, json={"keys": []})

    http = httpx.Client(transport=httpx.MockTransport(respond))
    return Mayfly(base_url="http://127.0.0.1:8025", http_client=http), requests


def test_the_key_of_this_machine_is_read_once(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    file = tmp_path / "local-key"
    file.write_text("mf_live_abc-DEF_123\n")
    client, requests = local_service(monkeypatch, str(file))
    assert requests == []
    client.keys.list()
    client.keys.list()
    assert [request.url.path for request in requests] == ["/v1/service", "/v1/keys", "/v1/keys"]
    assert requests[-1].headers["authorization"] == "Bearer mf_live_abc-DEF_123"
    assert client.api_key == "mf_live_abc-DEF_123"


def test_nothing_but_a_key_of_this_machine_is_sent(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    secret = tmp_path / "passwd"
    secret.write_text("root:x:0:0\nmf_live_abc\n")
    client, requests = local_service(monkeypatch, str(secret), str(tmp_path / "none"), None)
    for message in ["is not in .*passwd", "is not in .*none", "no account for this machine"]:
        with pytest.raises(MayflyError, match=f"^There is no API key.*{message}"):
            client.keys.list()
    assert all("authorization" not in request.headers for request in requests)


def test_a_key_is_sent_without_the_newline_of_its_file() -> None:
    client, requests = client_of(NO_KEYS, api_key=" mf_test_key\r\n")
    client.keys.list()
    assert requests[0].headers["authorization"] == "Bearer mf_test_key"
    assert client.api_key == "mf_test_key"


@pytest.mark.parametrize("key", ["mf_live_…", "mf_live_a b", "mf_live_a\nb", "mf_live_\x7f"])
def test_what_is_no_key_is_refused_without_quoting_it(key: str) -> None:
    with pytest.raises(MayflyError, match=r"^api_key is not an API key: .+") as raised:
        Mayfly(api_key=key)
    assert "mf_live_" not in str(raised.value)


@pytest.mark.parametrize(
    "url", ["localhost:8025", "", "127.0.0.1", "ftp://127.0.0.1", "http://", "http://[1"]
)
def test_what_is_no_url_of_a_service_is_refused(url: str) -> None:
    message = f'"{url}" is not the URL of a service, such as http://127.0.0.1:8025.'
    with pytest.raises(MayflyError, match=re.escape(message)):
        Mayfly(api_key="mf_test_key", base_url=url)
    with pytest.raises(MayflyError, match=re.escape(message)):
        Mayfly.read_service(base_url=url)


def test_a_proxy_of_the_environment_is_not_used_for_loopback(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setenv("HTTP_PROXY", "http://127.0.0.1:9")
    monkeypatch.delenv("NO_PROXY", raising=False)
    assert Mayfly.read_service().smtp.port > 0
