"""The proxy passes bytes on as they are, and disturbs what it is told to."""

import socket
import threading

import pytest

from benchmarks.faults.proxy import FaultProxy


@pytest.fixture
def proxy():
    """A proxy in front of a server that answers each request with the same bytes."""
    server = socket.create_server(("127.0.0.1", 0))

    def serve():
        while True:
            try:
                client, _ = server.accept()
            except OSError:
                return
            threading.Thread(target=answer, args=(client,), daemon=True).start()

    def answer(client):
        with client:
            while data := client.recv(1 << 16):
                client.sendall(data)

    threading.Thread(target=serve, daemon=True).start()
    made = FaultProxy("127.0.0.1", server.getsockname()[1])
    yield made
    made.close()
    server.close()


def ask(proxy, content=b"ping" * 1_000):
    """What comes back of the bytes that were sent."""
    found = b""
    with socket.create_connection(("127.0.0.1", proxy.port), timeout=30) as client:
        client.sendall(content)
        while len(found) < len(content):
            try:
                data = client.recv(1 << 16)
            except ConnectionError:
                break
            if not data:
                break
            found += data
    return found


def test_nothing_is_disturbed_before_and_after(proxy):
    for mode in ("", "refused", "slow"):
        with proxy.disturbing(mode, seed=1):
            pass
        assert ask(proxy) == b"ping" * 1_000
    assert proxy.disturbed == 0


@pytest.mark.parametrize(("mode", "length"), [("refused", 1), ("reset", 80_000), ("silent", 80_000)])
def test_connections_end_early(proxy, mode, length):
    with proxy.disturbing(mode, seed=1):
        assert len(ask(proxy, b"x" * length)) < length
    assert proxy.disturbed


def test_slow_connections_lose_nothing(proxy):
    with proxy.disturbing("slow", seed=1):
        assert ask(proxy) == b"ping" * 1_000
    assert proxy.disturbed


@pytest.mark.parametrize("status", ["500", "503", "403"])
def test_requests_are_answered_with_errors(proxy, status):
    with proxy.disturbing(f"http {status}", seed=1):
        assert ask(proxy).startswith(f"HTTP/1.1 {status} ".encode())
