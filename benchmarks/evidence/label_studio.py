"""A round trip of a task list through a running Label Studio: import, annotate, export, read, compare.

    python -m benchmarks.evidence.label_studio http://127.0.0.1:8080 TOKEN    # seconds

Everything goes through Label Studio's HTTP API. Texts hold what breaks offsets: astral characters, combining marks,
tabs, CRLF, long runs of spaces, markup. One note is annotated as the editor stores it with offsets in UTF-16 code
units.
"""

import argparse
import json
import tempfile
import urllib.request
from dataclasses import replace
from pathlib import Path
from typing import Any

from deid_tasks.core.entities import Entity
from deid_tasks.core.span import Span
from deid_tasks.evidence.annotation.formats import FORMATS, AnnotatedNote, labeling_config, verify_text

FORMAT = FORMATS["label-studio"]
TEXTS: dict[str, tuple[str, tuple[tuple[str, Entity], ...]]] = {
    "plain": ("Seen by Dr. Okafor on 3/14.", (("Okafor", Entity.PROVIDER), ("3/14", Entity.DATE))),
    "astral": (
        "👩‍⚕️ 𝒳-ray of Zoe\u0308 Bjørn Åkesson 日本 ok",
        (("Bjørn Åkesson", Entity.PATIENT), ("日本", Entity.COUNTRY)),
    ),
    "lines": ("Line one\r\n\r\n\tMarrowgate   Falls\nend ", (("Marrowgate   Falls", Entity.CITY),)),
    "markup": ('<b>Ann</b> & "Lee" &amp; <br/> ok', (("Ann", Entity.PATIENT), ("Lee", Entity.RELATIVE))),
    "nothing": ("No identifiers here.", ()),
}


class Studio:
    """The HTTP API of Label Studio, as far as it is used."""

    def __init__(self, url: str, token: str) -> None:
        self._url, self._token = url.rstrip("/"), token

    def call(self, method: str, path: str, body: Any = None) -> Any:
        """Send one JSON request and return the answer."""
        data = None if body is None else json.dumps(body).encode()
        headers = {"Authorization": f"Token {self._token}", "Content-Type": "application/json"}
        request = urllib.request.Request(f"{self._url}{path}", data, headers, method=method)
        with urllib.request.urlopen(request, timeout=60) as response:
            return json.loads(response.read() or b"null")


def main() -> None:
    """Print what came back; fail if anything differs."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("url")
    parser.add_argument("token")
    arguments = parser.parse_args()
    studio = Studio(arguments.url, arguments.token)
    print("Label Studio", studio.call("GET", "/api/version")["release"])
    notes = [_note(name, text, marks) for name, (text, marks) in TEXTS.items()]
    with tempfile.TemporaryDirectory() as folder:
        for is_shown in (False, True):
            _round_trip(studio, notes, Path(folder), is_shown=is_shown)
    print("every text unchanged, every offset exact")


def _note(name: str, text: str, marks: tuple[tuple[str, Entity], ...]) -> AnnotatedNote:
    spans = [Span(text.index(part), text.index(part) + len(part), entity) for part, entity in marks]
    return AnnotatedNote(name, text, tuple(sorted(spans)), note_type="Progress Note")


def _round_trip(studio: Studio, notes: list[AnnotatedNote], folder: Path, *, is_shown: bool) -> None:
    project = studio.call("POST", "/api/projects", {"title": "round trip", "label_config": labeling_config()})["id"]
    try:
        tasks = folder / "tasks.json"
        FORMAT.write([note if is_shown else replace(note, spans=()) for note in notes], tasks, annotated=False)
        answer = studio.call("POST", f"/api/projects/{project}/import", json.loads(tasks.read_text()))
        print(f"imported {answer['task_count']} tasks, {answer['prediction_count']} predictions")
        listed = studio.call("GET", f"/api/tasks?project={project}&fields=all")["tasks"]
        by_name = {task["data"]["note_id"]: task for task in listed}
        for note in notes:
            result = by_name[note.note_id]["predictions"][0]["result"] if is_shown and note.spans else _marked(note)
            studio.call("POST", f"/api/tasks/{by_name[note.note_id]['id']}/annotations", {"result": result})
        done = folder / "done.json"
        done.write_text(json.dumps(studio.call("GET", f"/api/projects/{project}/export?exportType=JSON")))
        back = {note.note_id: note for note in FORMAT.read(done)}
        for note in notes:
            verify_text(back[note.note_id], note.text)
            assert back[note.note_id].spans == note.spans, f"{note.note_id}: different spans came back"
            assert back[note.note_id].annotator, f"{note.note_id}: no annotator came back"
        print(f"exported {len(back)} finished notes by {sorted({note.annotator for note in back.values()})}")
    finally:
        studio.call("DELETE", f"/api/projects/{project}")


def _marked(note: AnnotatedNote) -> list[dict[str, Any]]:
    """Return what the editor stores; with offsets in UTF-16 code units for the note with astral characters."""

    def offset(index: int) -> int:
        return len(note.text[:index].encode("utf-16-le")) // 2 if note.note_id == "astral" else index

    return [
        {
            "from_name": "entity",
            "to_name": "text",
            "type": "labels",
            "value": {
                "start": offset(span.start),
                "end": offset(span.end),
                "text": note.text[span.start : span.end],
                "labels": [str(span.entity)],
            },
        }
        for span in note.spans
    ]


if __name__ == "__main__":
    main()
