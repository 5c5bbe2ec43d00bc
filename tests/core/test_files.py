import errno
import os
import signal
import subprocess
import sys
import time
from concurrent.futures import ThreadPoolExecutor

import pytest

from deid_tasks.core.errors import StorageError
from deid_tasks.core.files import atomic_open, atomic_path, write_atomically


def mode(path) -> int:
    return path.stat().st_mode & 0o777


def write_folder(path, **files: str) -> None:
    path.mkdir()
    for name, content in files.items():
        (path / name).write_text(content)


def write(path, word: str, *, is_folder: bool) -> None:
    """A file that holds the word, or a folder with such a file."""
    write_folder(path, a=word) if is_folder else path.write_text(word)


def content(path) -> str:
    """What every file of a folder holds, or what a file holds; they must be one word."""
    (word,) = {one.read_text() for one in path.iterdir()} if path.is_dir() else {path.read_text()}
    return word


@pytest.mark.parametrize("earlier", [None, "earlier"])
def test_a_file_appears_when_the_block_ends(tmp_path, earlier):
    target = tmp_path / "spans.jsonl"
    if earlier:
        target.write_text(earlier)
    with atomic_path(target) as path:
        path.write_text("new")
        assert path.suffix == target.suffix
        assert path.is_relative_to(tmp_path)
        assert mode(path.parent) == 0o700
        assert (target.read_text() if earlier else not target.exists()) == (earlier or True)
    assert target.read_text() == "new"
    assert mode(target) == 0o600
    assert list(tmp_path.iterdir()) == [target]


@pytest.mark.parametrize("earlier", [None, {"a": "earlier", "b": "earlier"}])
def test_a_folder_appears_when_the_block_ends(tmp_path, earlier):
    target = tmp_path / "tasks"
    if earlier:
        write_folder(target, **earlier)
    with atomic_path(target) as path:
        write_folder(path, a="new")
        write_folder(path / "below", c="new")
    assert (target / "a").read_text() == (target / "below" / "c").read_text() == "new"
    assert sorted(path.name for path in target.iterdir()) == ["a", "below"]
    assert (mode(target), mode(target / "below"), mode(target / "a")) == (0o700, 0o700, 0o600)
    assert list(tmp_path.iterdir()) == [target]


@pytest.mark.parametrize("is_folder", [False, True])
def test_a_block_that_fails_changes_nothing(tmp_path, is_folder):
    target = tmp_path / "target"
    write(target, "earlier", is_folder=is_folder)

    def fail() -> None:
        with atomic_path(target) as path:
            write(path, "new", is_folder=is_folder)
            raise ZeroDivisionError

    with pytest.raises(ZeroDivisionError):
        fail()
    assert content(target) == "earlier"
    assert list(tmp_path.iterdir()) == [target]


@pytest.mark.parametrize("is_folder", [False, True])
def test_an_earlier_target_can_be_left(tmp_path, is_folder):
    target = tmp_path / "version"
    for word in ("first", "second"):
        with atomic_path(target, replace=False) as path:
            write(path, word, is_folder=is_folder)
    assert content(target) == "first"
    assert list(tmp_path.iterdir()) == [target]


def test_permissions_can_be_chosen(tmp_path):
    write_atomically(tmp_path / "page", b"x", file_mode=0o644)
    assert mode(tmp_path / "page") == 0o644
    before = os.umask(0o027)
    try:
        write_atomically(tmp_path / "spans", "x", file_mode=None)
    finally:
        os.umask(before)
    assert mode(tmp_path / "spans") == 0o640


def test_text_is_written_as_it_is(tmp_path):
    with atomic_open(tmp_path / "spans") as stream:
        stream.write("é\r\n\n")
    assert (tmp_path / "spans").read_bytes() == "é\r\n\n".encode()
    write_atomically(tmp_path / "spans", "a\r\n")
    assert (tmp_path / "spans").read_bytes() == b"a\r\n"


def test_a_link_is_followed_and_a_device_is_written_to(tmp_path):
    (tmp_path / "real").write_text("earlier")
    (tmp_path / "link").symlink_to(tmp_path / "real")
    write_atomically(tmp_path / "link", "new")
    assert (tmp_path / "link").is_symlink()
    assert (tmp_path / "real").read_text() == "new"
    os.mkfifo(tmp_path / "pipe")
    with ThreadPoolExecutor() as pool:
        read = pool.submit((tmp_path / "pipe").read_text)
        write_atomically(tmp_path / "pipe", "through")
        assert read.result() == "through"


@pytest.mark.parametrize(("folder", "reason"), [("missing", "No such file or directory"), ("file", "Not a directory")])
def test_the_error_names_the_target_and_the_reason(tmp_path, folder, reason):
    (tmp_path / "file").touch()
    target = tmp_path / folder / "spans"
    with pytest.raises(StorageError) as error:
        write_atomically(target, "x")
    assert str(error.value) == f"{target}: cannot be written: {reason}"


@pytest.mark.parametrize(
    "error", [ConnectionResetError("lost"), FileNotFoundError(errno.ENOENT, "no weights", "/models/weights")]
)
def test_an_error_that_does_not_concern_the_target_passes(tmp_path, error):
    with pytest.raises(type(error)) as raised, atomic_path(tmp_path / "shard"):
        raise error
    assert raised.value is error
    assert not list(tmp_path.iterdir())


def test_many_writers_of_one_target_leave_one_whole(tmp_path):
    def race(number: int) -> None:
        with atomic_path(tmp_path / "file") as path:
            path.write_text(str(number) * 10_000)
        with atomic_path(tmp_path / "version", replace=False) as path:
            write_folder(path, a=str(number), b=str(number))

    with ThreadPoolExecutor(8) as pool:
        list(pool.map(race, range(64)))
    assert len(set((tmp_path / "file").read_text())) <= 2
    assert len(content(tmp_path / "version")) <= 2
    assert sorted(path.name for path in tmp_path.iterdir()) == ["file", "version"]


KILLED = """
import sys, time
from pathlib import Path
from deid_tasks.core.files import atomic_path
with atomic_path(Path(sys.argv[1])) as path:
    if sys.argv[2] == "folder":
        path.mkdir()
        path = path / "a"
    path.write_text("new")
    print("written", flush=True)
    time.sleep(600)
"""


@pytest.mark.parametrize("is_folder", [False, True])
def test_a_writer_that_is_killed_leaves_the_target(tmp_path, is_folder):
    target = tmp_path / "target"
    write(target, "earlier", is_folder=is_folder)
    kind = "folder" if is_folder else "file"
    with subprocess.Popen([sys.executable, "-c", KILLED, target, kind], stdout=subprocess.PIPE, text=True) as writer:
        assert writer.stdout.readline() == "written\n"
        writer.send_signal(signal.SIGKILL)
    assert content(target) == "earlier"
    (left,) = (path for path in tmp_path.iterdir() if path != target)
    assert mode(left) == 0o700
    # A later writer removes it when it is a day old, and no other's.
    with atomic_path(target) as path:
        write(path, "later", is_folder=is_folder)
    assert left.exists()
    long_ago = time.time() - 3 * 24 * 3_600
    for path in (*left.rglob("*"), left):
        os.utime(path, (long_ago, long_ago))
    with atomic_path(target) as path:
        write(path, "last", is_folder=is_folder)
    assert list(tmp_path.iterdir()) == [target]
    assert content(target) == "last"


FULL = """
import resource, signal, sys
from pathlib import Path
from deid_tasks.core.errors import StorageError
from deid_tasks.core.files import atomic_open, write_atomically
signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
resource.setrlimit(resource.RLIMIT_FSIZE, (65_536, 65_536))
target = Path(sys.argv[1])
try:
    if sys.argv[2] == "stream":
        with atomic_open(target) as stream:
            for _ in range(1_000):
                stream.write("A secret of Quillfeather. " * 100)
    else:
        write_atomically(target, "A secret of Quillfeather. " * 10_000)
except StorageError as error:
    print(error)
"""


@pytest.mark.parametrize("way", ["stream", "whole"])
def test_a_full_disk_leaves_the_target(tmp_path, way):
    target = tmp_path / "target"
    target.write_text("earlier")
    writer = subprocess.run([sys.executable, "-c", FULL, target, way], capture_output=True, text=True, check=True)
    assert writer.stdout == f"{target}: cannot be written: File too large\n"
    assert target.read_text() == "earlier"
    assert list(tmp_path.iterdir()) == [target]


def test_a_folder_that_cannot_be_put_in_place_leaves_the_earlier_one(tmp_path, monkeypatch):
    target = tmp_path / "tasks"
    write_folder(target, a="earlier")
    rename, renames = type(target).rename, []

    def failing(self, other):
        renames.append(other)
        if len(renames) == 2:
            raise OSError(errno.EIO, "Input/output error", str(self))
        return rename(self, other)

    monkeypatch.setattr(type(target), "rename", failing)
    with pytest.raises(StorageError, match="Input/output error"), atomic_path(target) as path:
        write_folder(path, a="new")
    assert content(target) == "earlier"
    assert list(tmp_path.iterdir()) == [target]
