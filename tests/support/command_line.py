"""Runs ``deid`` in a process of its own, as people do."""

import json
import subprocess
import sys
from pathlib import Path

NOTE = "Seen by Dr. Okafor on 3/14/2021. Call (617) 555-0123. BP 120/80, Bruce protocol."


def deid(*arguments: object, stdin: str | bytes = "", **environment: str) -> subprocess.CompletedProcess[bytes]:
    data = stdin.encode() if isinstance(stdin, str) else stdin
    return subprocess.run(
        [sys.executable, "-m", "deid_tasks.cli", *map(str, arguments)],
        input=data,
        capture_output=True,
        env={"PATH": "/usr/bin:/bin", "HF_HUB_OFFLINE": "1", **environment},
        check=False,
    )


def lines(path: Path) -> list[dict]:
    return [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()]


def write(path: Path, *records: dict) -> Path:
    path.write_text("".join(json.dumps(record, ensure_ascii=False) + "\n" for record in records), encoding="utf-8")
    return path
