"""Folders of versions: the pointer to the newest, and what pruning leaves."""

import os
import time

from deid_tasks.core.versions import make_newest, newest_version, prune_versions

WEEK = 7 * 24 * 3_600


def version(folder, name, age=WEEK, *, is_folder=True):
    path = folder / name
    if is_folder:
        path.mkdir()
        (path / "table").write_bytes(b"x")
    else:
        path.write_bytes(b"x")
    os.utime(path, (time.time() - age,) * 2)
    return path


def test_a_folder_without_a_pointer_has_no_newest_version(tmp_path):
    assert newest_version(tmp_path / "none") == ""
    assert newest_version(tmp_path) == ""
    version(tmp_path, "file", is_folder=False)
    assert newest_version(tmp_path / "file") == ""
    make_newest(tmp_path, "file")
    assert newest_version(tmp_path) == "file"


def test_pruning_leaves_the_newest_the_retained_and_the_young(tmp_path):
    for name in ("old", "retained", "newest"):
        version(tmp_path, name)
    version(tmp_path, "list", is_folder=False)
    version(tmp_path, "young", age=60)
    version(tmp_path, ".partial")
    make_newest(tmp_path, "newest")
    assert prune_versions(tmp_path, {"retained"}) == ["list", "old"]
    left = sorted(path.name for path in tmp_path.iterdir())
    assert left == [".partial", "CURRENT", "newest", "retained", "young"]
    assert prune_versions(tmp_path / "none", set()) == []
