"""Requests to services."""

from datetime import UTC, datetime, timedelta
from email.utils import format_datetime

import pytest

from deid_tasks.endpoints.rest import EndpointError, RestClient, seconds_of, sendable_text
from deid_tasks.settings.endpoints import is_loopback
from tests.support.chat_server import running_chat_server

BODY = {"model": "right", "messages": [{"role": "user", "content": "Ms. Brennock"}]}


def client(server, **settings):
    return RestClient(server.url, {}, **({"attempts": 3, "max_wait_seconds": 0.01} | settings))


@pytest.mark.parametrize(
    ("status", "attempts"), [(500, 3), (502, 3), (429, 3), (408, 3), (400, 1), (401, 1), (404, 1), (307, 1)]
)
def test_only_failures_that_may_pass_are_tried_again(status, attempts):
    with running_chat_server(failures=[(status, {"Location": "http://127.0.0.1:1/"})] * 5) as server:
        with pytest.raises(EndpointError, match=f"127.0.0.1: status {status}") as raised:
            client(server).post("chat/completions", BODY, lambda response: response.read())
        assert len(server.bodies) == attempts
    assert raised.value.status == status
    assert raised.value.__cause__ is raised.value.__context__ is None
    assert "Brennock" not in str(raised.value)


def test_a_wait_that_a_server_asks_for_has_a_limit():
    with running_chat_server(failures=[(429, {"Retry-After": "86400"})]) as server:
        assert client(server).post("chat/completions", BODY, lambda response: response.read())
    assert len(server.bodies) == 2


def test_a_proxy_of_the_environment_is_not_used_on_this_host(monkeypatch):
    monkeypatch.setenv("HTTP_PROXY", "http://127.0.0.1:1")
    monkeypatch.setenv("ALL_PROXY", "http://127.0.0.1:1")
    with running_chat_server() as server:
        assert client(server).post("chat/completions", BODY, lambda response: response.read())


@pytest.mark.parametrize(("header", "seconds"), [("7", 7.0), ("0.5", 0.5), ("-3", 0.0), ("", None), ("soon", None)])
def test_seconds_of_retry_after(header, seconds):
    assert seconds_of(header) == seconds


def test_a_date_of_retry_after_is_seconds_from_now():
    assert 3000 < seconds_of(format_datetime(datetime.now(UTC) + timedelta(hours=1))) <= 3600
    assert seconds_of(format_datetime(datetime.now(UTC) - timedelta(hours=1))) == 0


@pytest.mark.parametrize(
    ("url", "is_here"),
    [
        ("http://127.0.0.1:8000/v1", True), ("http://localhost/v1", True), ("http://[::1]:8000", True),
        ("http://127.0.0.1.example.com", False), ("http://10.0.0.1", False), ("https://localhost.example.com", False),
        ("http://user@api.example.com/?localhost", False), ("", False),
    ],
)  # fmt: skip
def test_addresses_of_this_host(url, is_here):
    assert is_loopback(url) is is_here


def test_lone_surrogates_are_replaced_one_for_one():
    text = "a\ud800b👍\udc00"
    assert sendable_text(text) == "a?b👍?"
