"""A TCP proxy that loses, delays and falsifies what passes through it."""

import contextlib
import random
import socket
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Literal

Mode = Literal["", "refused", "reset", "slow", "silent", "http 500", "http 503", "http 403"]
"""Nothing; connections closed at once; closed after some bytes; delayed; silent for a while and then closed; each HTTP
request answered with an error."""
_CHUNK = 1 << 14
_SLOW_SECONDS, _SILENT_SECONDS = 0.02, 1.5
_CODES = {"http 500": "InternalError", "http 503": "SlowDown", "http 403": "ExpiredToken"}


class FaultProxy:
    """Listens on a free loopback port and passes everything on to a server, until it is told otherwise.

    Args:
        host: of the server.
        port: of the server.
    """

    def __init__(self, host: str, port: int) -> None:
        self._target = (host, port)
        self._listener = socket.create_server(("127.0.0.1", 0))
        self.port: int = self._listener.getsockname()[1]
        self._mode: Mode = ""
        self._rng = random.Random(0)
        self._share = 1.0
        self.disturbed = 0
        """Connections and requests that were disturbed."""
        threading.Thread(target=self._accept, daemon=True).start()

    @contextmanager
    def disturbing(self, mode: Mode, seed: int, share: float = 1.0) -> Iterator[None]:
        """Disturb a share of connections, or of HTTP requests, meanwhile."""
        self._rng, self._share, self._mode = random.Random(seed), share, mode
        try:
            yield
        finally:
            self._mode = ""

    def close(self) -> None:
        """Accept no more connections."""
        self._listener.close()

    def _accept(self) -> None:
        while True:
            try:
                client, _ = self._listener.accept()
            except OSError:
                return
            threading.Thread(target=self._serve, args=(client,), daemon=True).start()

    def _is_chosen(self) -> bool:
        chosen = bool(self._mode) and self._rng.random() < self._share
        self.disturbed += chosen
        return chosen

    def _serve(self, client: socket.socket) -> None:
        if self._mode == "refused" and self._is_chosen():
            _reset(client)
            return
        try:
            server = socket.create_connection(self._target)
        except OSError:
            _reset(client)
            return
        back = threading.Thread(target=self._pass_on, args=(server, client), kwargs={"is_request": False}, daemon=True)
        back.start()
        self._pass_on(client, server, is_request=True)

    def _pass_on(self, source: socket.socket, target: socket.socket, *, is_request: bool) -> None:
        limit: int | None = None
        passed = 0
        with contextlib.suppress(OSError):
            while data := source.recv(_CHUNK):
                mode = self._mode
                if mode in {"reset", "silent"} and limit is None and self._is_chosen():
                    limit = passed + self._rng.choice((0, 1, 100, 3_000, 40_000))
                if limit is not None and passed + len(data) > limit:
                    target.sendall(data[: max(0, limit - passed)])
                    if mode == "silent":
                        time.sleep(_SILENT_SECONDS)
                    break
                if mode in _CODES and is_request and self._is_chosen():
                    source.sendall(_answer(mode))
                    break
                if mode == "slow":
                    self.disturbed += 1
                    time.sleep(_SLOW_SECONDS)
                target.sendall(data)
                passed += len(data)
        _reset(source)
        _reset(target)


def _answer(mode: str) -> bytes:
    body = f"<?xml version='1.0'?><Error><Code>{_CODES[mode]}</Code><Message>disturbed</Message></Error>".encode()
    status = mode.removeprefix("http ")
    head = f"HTTP/1.1 {status} Disturbed\r\nContent-Type: application/xml\r\nContent-Length: {len(body)}\r\n"
    return f"{head}Connection: close\r\n\r\n".encode() + body


def _reset(one: socket.socket) -> None:
    with contextlib.suppress(OSError):
        one.shutdown(socket.SHUT_RDWR)
    one.close()
