"""Small systems for comparisons, as programs: a sound one and some that misbehave."""

import sys
from collections.abc import Mapping
from pathlib import Path

import deid_tasks.comparison.protocol
from deid_tasks.comparison.process import SystemProcess
from deid_tasks.comparison.registry import SystemChoice, SystemDefinition

LAUNCHER = Path(deid_tasks.comparison.protocol.__file__)
LABELS = '{"NAME": "PATIENT", "TEST": null}'
ADAPTER = """
import os, re, sys, threading, time
from deid_tasks.comparison.protocol import SystemAnswer, SystemSpan, serve

class Names:
    name, version, window = "names", "1", {window}

    def __init__(self, options):
        self.options = options
        print("loading")
{load}

    def find(self, note):
        print("reading", note.text)
{body}
        return [SystemSpan(*match.span(), "NAME") for match in re.finditer("[A-Z][a-z]+", note.text)]

serve(Names)
"""
"""Marks capitalized words; prints text where a careless library would."""
RAW = """
import json, sys
sys.stdin.readline()
print(json.dumps({{"protocol": 1, "system": "raw", "version": "1", "window": {window}}}), flush=True)
{body}
"""


def adapter(folder: Path, body: str = "", load: str = "", window: int = 1) -> Path:
    """Write an adapter that runs ``body`` on each note, before it marks names, and ``load`` at its start."""
    folder.mkdir(parents=True, exist_ok=True)
    path = folder / "adapter.py"
    path.write_text(ADAPTER.format(window=window, load=_indented(load), body=_indented(body)))
    (folder / "labels.json").write_text(LABELS)
    return path


def raw_adapter(folder: Path, body: str, window: int = 1) -> Path:
    """Write a program that speaks the protocol by hand; ``body`` reads the notes."""
    folder.mkdir(parents=True, exist_ok=True)
    path = folder / "adapter.py"
    path.write_text(RAW.format(window=window, body=body))
    (folder / "labels.json").write_text(LABELS)
    return path


def process_of(path: Path, note_seconds: float = 60.0, options: Mapping[str, str] | None = None) -> SystemProcess:
    """Return a process of this Python that runs an adapter."""
    command = [sys.executable, str(LAUNCHER), str(path)]
    return SystemProcess(command, {"PATH": "/usr/bin:/bin"}, options or {}, 60.0, note_seconds)


def choice_of(folder: Path, name: str, **more: object) -> SystemChoice:
    """Return the system whose adapter lies in a folder."""
    return SystemChoice(SystemDefinition(name, name.capitalize(), "", folder, **more), name)  # type: ignore[arg-type]


def launch(choice: SystemChoice) -> SystemProcess:
    """Make the process of a system of this module."""
    return process_of(choice.definition.folder / "adapter.py", options=choice.options)


class Silent:
    """Progress that nobody sees."""

    def announce(self, text: str) -> None:
        pass

    def count(self, notes: int) -> None:
        pass


def _indented(code: str) -> str:
    return "\n".join(f"        {line}" for line in code.splitlines())
