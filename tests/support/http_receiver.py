"""A small HTTP server that keeps what is posted to it: a consumer of lineage, a collector of traces."""

import threading
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, HTTPServer


@dataclass
class Received:
    """The server's address, and path and body of each request."""

    address: str
    requests: list[tuple[str, bytes]] = field(default_factory=list)

    @property
    def bodies(self) -> list[bytes]:
        return [body for _, body in self.requests]


@contextmanager
def http_receiver(status: int = 200) -> Iterator[Received]:
    """Run the server on a free port; it answers every request with ``status``."""

    class Handler(BaseHTTPRequestHandler):
        def do_POST(self):
            received.requests.append((self.path, self.rfile.read(int(self.headers["Content-Length"]))))
            self.send_response(status)
            self.end_headers()

        def log_message(self, *_):
            pass

    server = HTTPServer(("127.0.0.1", 0), Handler)
    received = Received(f"http://127.0.0.1:{server.server_port}")
    thread = threading.Thread(target=server.serve_forever)
    thread.start()
    try:
        yield received
    finally:
        server.shutdown()
        thread.join()
        server.server_close()
