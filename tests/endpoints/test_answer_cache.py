"""Answers under keyed hashes, which the workers of one host share."""

import sqlite3
import subprocess
import sys

import pytest

from deid_tasks.core.errors import StorageError
from deid_tasks.endpoints.answer_cache import KeyedAnswerCache

KEY = bytes(range(32))
WRITER = """
import sys
from pathlib import Path
from deid_tasks.endpoints.answer_cache import KeyedAnswerCache
cache = KeyedAnswerCache(Path(sys.argv[1]), bytes(range(32)), "v")
for number in range(200):
    cache.put(f"{sys.argv[2]} {number}", number)
    assert cache.get(f"{sys.argv[2]} {number}") == number
"""


def test_processes_that_write_at_once_lose_nothing(tmp_path):
    file = tmp_path / "answers.sqlite"
    writers = [subprocess.Popen([sys.executable, "-c", WRITER, str(file), name]) for name in "abcd"]
    assert [one.wait() for one in writers] == [0] * 4
    cache = KeyedAnswerCache(file, KEY, "v")
    assert all(cache.get(f"{name} {number}") == number for name in "abcd" for number in range(200))


def test_an_answer_belongs_to_its_key_and_version(tmp_path):
    file = tmp_path / "answers.sqlite"
    KeyedAnswerCache(file, KEY, "v").put("asked", False)
    assert KeyedAnswerCache(file, KEY, "v").get("asked") is False
    assert KeyedAnswerCache(file, KEY, "w").get("asked") is None
    assert KeyedAnswerCache(file, bytes(32), "v").get("asked") is None
    assert b"asked" not in file.read_bytes()


def test_a_file_that_cannot_be_used_is_one_error_that_names_it(tmp_path):
    broken = tmp_path / "broken.sqlite"
    broken.write_bytes(b"no database" * 100)
    with pytest.raises(StorageError, match=r"broken\.sqlite"):
        KeyedAnswerCache(broken, KEY, "v")
    other = KeyedAnswerCache(tmp_path / "other.sqlite", KEY, "v")
    with sqlite3.connect(tmp_path / "other.sqlite") as connection:
        connection.execute("drop table answers")
    for use in (lambda: other.get("asked"), lambda: other.put("asked", 1)):
        with pytest.raises(StorageError, match=r"other\.sqlite: cannot be used as a cache: OperationalError"):
            use()


def test_an_answer_that_another_program_wrote_is_an_error(tmp_path):
    cache = KeyedAnswerCache(tmp_path / "a.sqlite", KEY, "v")
    cache.put("asked", 1)
    with sqlite3.connect(tmp_path / "a.sqlite") as connection:
        connection.execute("update answers set answer = 'no json'")
    with pytest.raises(StorageError, match="not JSON"):
        cache.get("asked")
