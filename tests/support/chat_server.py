"""A server of this host that speaks OpenAI's chat completions, right or wrong in the ways that servers and models are.

``python -m tests.support.chat_server`` is the server as a process; it prints its port.
"""

import json
import re
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

NAMES = ("Okafor", "Brennock", "Maria")
"""What the model of this server knows as last names."""
_ENTITY = re.compile(r"(?P<DATE>\d{1,2}/\d{1,2}/\d{4})|(?P<MRN>\b\d{7}\b)|(?P<LAST_NAME>" + "|".join(NAMES) + ")")


def note_of(body: dict[str, Any]) -> str:
    """Return the note that a request asks about."""
    content = body["messages"][-1]["content"]
    return content.rsplit("Input text:\n", 1)[-1].removesuffix("\nOutput JSON:")


def right(body: dict[str, Any]) -> str:
    """Answer with what this server's model knows of the note."""
    found: dict[str, list[str]] = {}
    for match in _ENTITY.finditer(note_of(body)):
        found.setdefault(match.lastgroup or "", []).append(match[0])
    return json.dumps(found)


def redacting(body: dict[str, Any]) -> str:
    """Answer with the note again, redacted, and with a sentence that is not in it."""
    return _ENTITY.sub("[REDACTED]", note_of(body)) + " All is well."


def hallucinating(body: dict[str, Any]) -> str:
    """Answer with a quote that is in no note, one that is nearly in it, and a label that nobody asked for."""
    return json.dumps({"LAST_NAME": ["Zyxwvutsson", "Brenock"], "MOOD": ["calm"]})


def fenced(body: dict[str, Any]) -> str:
    """Answer as models without a constraint do."""
    return f"<think>{{names?}}</think>Here it is:\n{right(body)}\nAnything else?"


def deciding(body: dict[str, Any]) -> str:
    """Keep what is marked in the sentence if its second letter is a vowel, so that each question has its answer."""
    marked = note_of(body).partition("<<")[2].partition(">>")[0]
    return json.dumps({"decision": "keep" if marked[1:2] in "aeiou" else "redact"})


MODELS: dict[str, Callable[[dict[str, Any]], str]] = {
    "right": right,
    "redacting": redacting,
    "hallucinating": hallucinating,
    "fenced": fenced,
    "malformed": lambda body: '{"LAST_NAME": ["' + note_of(body)[:40],
    "silent": lambda body: "",
    "prose": lambda body: "I cannot help with " + note_of(body)[:40],
    "deciding": deciding,
    "redact": lambda body: '{"decision": "redact"}',
    "keep": lambda body: '{"decision": "keep"}',
}


@dataclass
class ChatServer:
    """The server, what it is to do, and what it was asked."""

    failures: list[tuple[int, dict[str, str]]] = field(default_factory=list)
    """Statuses and headers with which it refuses its next requests."""
    max_note_characters: int = 1_000_000
    """An answer to a longer note is cut off."""
    delay_seconds: float = 0.0
    knows_schema: bool = True
    dies_in_stream: int = 0
    """How many of its next streams end in the middle."""
    bodies: list[dict[str, Any]] = field(default_factory=list)
    headers: list[dict[str, str]] = field(default_factory=list)
    most_at_once: int = 0
    url: str = ""
    _at_once: int = 0
    _lock: threading.Lock = field(default_factory=threading.Lock)

    def answer(self, handler: BaseHTTPRequestHandler) -> None:
        """Answer one request."""
        body = json.loads(handler.rfile.read(int(handler.headers["Content-Length"])))
        with self._lock:
            self.bodies.append(body)
            self.headers.append(dict(handler.headers))
            self._at_once += 1
            self.most_at_once = max(self.most_at_once, self._at_once)
            failure = self.failures.pop(0) if self.failures else None
        try:
            time.sleep(self.delay_seconds)
            if failure:
                _send(handler, failure[0], {"error": {"message": note_of(body)}}, failure[1])
            elif handler.path != "/v1/chat/completions":
                _send(handler, 404, {})
            elif not self.knows_schema and body.get("response_format", {}).get("type") == "json_schema":
                _send(handler, 400, {"error": {"message": "unknown response_format"}})
            elif body.get("stream"):
                self._stream(handler, body)
            else:
                _send(handler, 200, self._completion(body))
        finally:
            with self._lock:
                self._at_once -= 1

    def _completion(self, body: dict[str, Any]) -> dict[str, Any]:
        text, reason = self._text(body)
        return {
            "choices": [{"index": 0, "message": {"role": "assistant", "content": text}, "finish_reason": reason}],
            "usage": _usage(body, text),
        }

    def _text(self, body: dict[str, Any]) -> tuple[str, str]:
        text = MODELS[body["model"]](body)
        if len(note_of(body)) > self.max_note_characters:
            return text[: len(text) // 2], "length"
        return text, "stop"

    def _stream(self, handler: BaseHTTPRequestHandler, body: dict[str, Any]) -> None:
        text, reason = self._text(body)
        with self._lock:
            is_cut = self.dies_in_stream > 0
            self.dies_in_stream -= is_cut
        handler.send_response(200)
        handler.send_header("Content-Type", "text/event-stream")
        handler.end_headers()
        events: list[dict[str, Any]] = [
            {"choices": [{"delta": {"content": text[start : start + 5]}}]} for start in range(0, len(text), 5)
        ]
        events += [{"choices": [{"delta": {}, "finish_reason": reason}]}, {"choices": [], "usage": _usage(body, text)}]
        for event in events[:1] if is_cut else events:
            handler.wfile.write(f"data: {json.dumps(event)}\n\n".encode())
        if not is_cut:
            handler.wfile.write(b"data: [DONE]\n\n")


def _usage(body: dict[str, Any], text: str) -> dict[str, Any]:
    words = sum(len(message["content"].split()) for message in body["messages"])
    return {
        "prompt_tokens": words,
        "completion_tokens": len(text.split()),
        "prompt_tokens_details": {"cached_tokens": words // 2},
    }


def _send(
    handler: BaseHTTPRequestHandler, status: int, record: dict[str, Any], headers: dict[str, str] | None = None
) -> None:
    content = json.dumps(record).encode()
    handler.send_response(status)
    for name, value in {"Content-Type": "application/json", **(headers or {})}.items():
        handler.send_header(name, value)
    handler.send_header("Content-Length", str(len(content)))
    handler.end_headers()
    handler.wfile.write(content)


@contextmanager
def running_chat_server(**behaviour: Any) -> Iterator[ChatServer]:
    """Run a server in a thread of this process, so that a test can look at what it was asked."""
    server = ChatServer(**behaviour)
    http = _http_server(server)
    server.url = f"http://127.0.0.1:{http.server_port}/v1"
    thread = threading.Thread(target=http.serve_forever, kwargs={"poll_interval": 0.01}, daemon=True)
    thread.start()
    try:
        yield server
    finally:
        http.shutdown()
        http.server_close()
        thread.join()


@contextmanager
def chat_server_process() -> Iterator[str]:
    """Run a server as a process of its own, and yield the address of its API."""
    process = subprocess.Popen(
        [sys.executable, "-m", "tests.support.chat_server"],
        stdout=subprocess.PIPE,
        text=True,
        cwd=Path(__file__).resolve().parents[2],
    )
    assert process.stdout is not None
    try:
        yield f"http://127.0.0.1:{int(process.stdout.readline())}/v1"
    finally:
        process.kill()
        process.wait()
        process.stdout.close()


def _http_server(server: ChatServer) -> ThreadingHTTPServer:
    class Handler(BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            with suppress(BrokenPipeError, ConnectionResetError):  # the client had waited long enough
                server.answer(self)

        def log_message(self, *_: object) -> None:
            pass

    return ThreadingHTTPServer(("127.0.0.1", 0), Handler)


if __name__ == "__main__":
    listening = _http_server(ChatServer())
    print(listening.server_port, flush=True)
    listening.serve_forever()
