"""Damaged files that reach new code: atheris changes the files of each reader and keeps what takes another branch.

    pip install atheris
    python -m benchmarks.faults.guided                            # a minute for each reader: about half an hour
    python -m benchmarks.faults.guided --seconds 600 --reader i2b2-2014

``benchmarks.faults.fuzz`` damages files at random. Here the branches of the product's code guide the damage (libFuzzer,
through atheris), so that a change that a reader notices is changed further. A reader may read a file or refuse it with
one of the product's errors; anything else, and an error that quotes the file, is a fault. Readers with large files,
such as models, are left out: their hashes refuse every change.
"""

import json
import re
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import Any

from benchmarks.support.results import parser_of, results

_LARGEST_BYTES = 100_000
_LONGEST_READ_SECONDS = 30
_DONE = re.compile(r"Done (\d+) runs")
_COVERED = re.compile(r"\bcov: (\d+)")


def main() -> int:
    """Try every reader in a process of its own; return 1 where a fault was found."""
    parser = parser_of(__doc__)
    parser.add_argument("--seconds", type=int, default=60, help="seconds for each reader")
    parser.add_argument("--seed", type=int, default=1, help="seed of the changes")
    parser.add_argument("--reader", action="append", help="one reader; all with small files if not given")
    parser.add_argument("--in-process", metavar="FOLDER", type=Path, help="used by the command itself")
    arguments = parser.parse_args()
    if arguments.in_process:
        _fuzz(arguments.reader[0], arguments.in_process, arguments.seconds, arguments.seed)
        return 0
    from benchmarks.faults.readers import READERS

    faults = 0
    with results("faults-guided", "Damaged files, guided by coverage", arguments) as made:
        columns = {"files": ",d", "branches before": ",d", "branches after": ",d", "faults": ",d", "first fault": ""}
        made.table("Damaged files by reader", {"reader": "", **columns})
        for name in arguments.reader or READERS:
            with tempfile.TemporaryDirectory() as folder:
                if _write_corpus(name, Path(folder)):
                    row = _try(name, Path(folder), arguments.seconds, arguments.seed)
                    faults += int(row[3])
                    made.add(name, *row)
    return 1 if faults else 0


def _write_corpus(name: str, folder: Path) -> bool:
    """Write the reader's own files for the fuzzer to begin with; return whether they are small enough."""
    from benchmarks.faults.file_checks import DamagedFiles
    from benchmarks.faults.readers import READERS

    files = DamagedFiles(READERS[name], folder / "files")
    contents = [files.content(path) for path in files.files()]
    if max(map(len, contents)) > _LARGEST_BYTES:
        return False
    (folder / "corpus").mkdir()
    for number, content in enumerate(contents[:256]):
        (folder / "corpus" / str(number)).write_bytes(bytes([number]) + content)
    return True


def _try(name: str, folder: Path, seconds: int, seed: int) -> tuple[int, int, int, int, str]:
    """Return files tried, branches reached by the reader's own files and in the end, faults, and the first one."""
    command = [sys.executable, "-m", "benchmarks.faults.guided", "--reader", name, "--in-process", str(folder)]
    done = subprocess.run(
        [*command, "--seconds", str(seconds), "--seed", str(seed)], capture_output=True, text=True, check=False
    )
    covered = [int(one) for one in _COVERED.findall(done.stderr)]
    runs = _DONE.search(done.stderr)
    if not runs or not covered:
        last = done.stderr.strip().splitlines()[-1:] or ["nothing"]
        return 0, 0, 0, 1, f"the fuzzer ended with {done.returncode}: {last[0][:120]}"
    found = [json.loads(line) for line in (folder / "faults.jsonl").read_text(encoding="utf-8").splitlines()]
    first = f"{found[0]['file']}: {found[0]['fault']}" if found else ""
    return int(runs[1]), covered[0], covered[-1], len(found), first


def _fuzz(name: str, folder: Path, seconds: int, seed: int) -> None:
    """Change the files until the time is over, and write each kind of fault once; ends the process."""
    import atheris

    with atheris.instrument_imports(include=["deid_tasks"]):
        from benchmarks.faults.file_checks import DamagedFiles
        from benchmarks.faults.readers import READERS

        # Reads the undamaged files once, and so imports what the reader needs.
        files = DamagedFiles(READERS[name], folder / "own")
    paths = files.files()
    found: set[str] = set()
    journal = folder / "faults.jsonl"
    journal.touch()

    def check(data: bytes) -> None:
        path = paths[data[0] % len(paths)] if data else paths[0]
        fault = files.check_content(path, data[1:], "guided").fault
        if fault and fault not in found:
            found.add(fault)
            entry: dict[str, Any] = {"file": str(path), "fault": fault, "content": data[1:].hex()}
            with journal.open("a", encoding="utf-8") as file:
                file.write(json.dumps(entry) + "\n")

    limits = [f"-max_total_time={seconds}", f"-timeout={_LONGEST_READ_SECONDS}", f"-seed={seed}"]
    # Files that were slow, or ended the process, would else lie in the working folder.
    limits += [f"-max_len={_LARGEST_BYTES}", f"-artifact_prefix={folder}/"]
    atheris.Setup([sys.argv[0], *limits, str(folder / "corpus")], check)
    atheris.Fuzz()


if __name__ == "__main__":
    sys.exit(main())
