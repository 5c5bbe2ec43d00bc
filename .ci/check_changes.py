"""Lint, types and unit tests of what changed since the main branch: `make check`.

Changed Python files are linted; types and import layers are checked as a whole, from their caches; and the test folders
that mirror changed packages run, without end-to-end tests and tests that need a service.
"""

import argparse
import subprocess
import sys
from collections.abc import Iterable
from pathlib import Path, PurePosixPath

ROOT = Path(__file__).resolve().parents[1]
ALWAYS = ("tests/test_boundaries.py", "tests/test_public_names.py")
"""Tests of the package as a whole, for every change of it."""
MIRRORED = {
    "deid_tasks": "tests",
    "dags": "tests/dags",
    "plugins": "tests/dags",
    "dbt": "tests/dbt",
    "deploy": "tests/deploy",
}
UNIT_TESTS = "not slow and not service"
_NO_TEST_SELECTED = 5
"""Exit status of pytest where the marker leaves nothing to run."""


def changed_paths(base: str) -> list[str]:
    """Return the paths that differ from the common ancestor with a branch: untracked ones too, deleted ones not."""
    ancestor = _git("merge-base", "HEAD", base).strip() if _exists(base) else "HEAD"
    found = {*_git("diff", "--name-only", ancestor).splitlines()}
    found |= {*_git("ls-files", "--others", "--exclude-standard").splitlines()}
    return sorted(path for path in found if (ROOT / path).is_file())


def tests_of(paths: Iterable[str]) -> list[str]:
    """Return the test files and folders that mirror changed paths."""
    chosen: set[str] = set()
    for path in paths:
        top, _, below = path.partition("/")
        if top == "tests":
            chosen |= _tests_of_test(path)
        elif top in MIRRORED:
            chosen.add(_mirror(MIRRORED[top], below if top == "deid_tasks" else ""))
            if top == "deid_tasks":
                chosen |= set(ALWAYS)
    folders = {path for path in chosen if not path.endswith(".py")}
    return sorted(path for path in chosen if not any(str(parent) in folders for parent in PurePosixPath(path).parents))


def _tests_of_test(path: str) -> set[str]:
    name = PurePosixPath(path)
    if name.name.startswith("test_") and name.suffix == ".py":
        return {path}
    if name.parts[1] == "support":
        module = f"tests.support.{name.stem} "
        users = (ROOT / "tests").rglob("test_*.py")
        return {str(user.relative_to(ROOT)) for user in users if module in user.read_text(encoding="utf-8")}
    return {str(name.parent)} if len(name.parts) > 2 else set()


def _mirror(top: str, below: str) -> str:
    """Return the test file of a module if there is one, else the deepest folder that mirrors its package."""
    path = PurePosixPath(top) / below
    own = path.with_name(f"test_{path.stem}.py") if below else path
    if (ROOT / own).is_file():
        return str(own)
    while not (ROOT / path).is_dir():
        path = path.parent
    return str(path) if str(path) != "tests" else ALWAYS[0]


def _exists(branch: str) -> bool:
    command = ["git", "rev-parse", "--verify", "--quiet", branch]
    return subprocess.run(command, cwd=ROOT, capture_output=True, check=False).returncode == 0


def _git(*arguments: str) -> str:
    return subprocess.run(["git", *arguments], cwd=ROOT, capture_output=True, text=True, check=True).stdout


def _run(program: str, *arguments: str) -> bool:
    print(f"== {' '.join((program, *arguments[:5]))}{' …' if len(arguments) > 5 else ''}", flush=True)
    command = [str(Path(sys.executable).with_name(program)), *arguments]
    return subprocess.run(command, cwd=ROOT, check=False).returncode in {0, _NO_TEST_SELECTED}


def main() -> int:
    """Run all checks; return 1 where one of them fails."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--base", default="main", help="branch that the changes are compared with")
    paths = changed_paths(parser.parse_args().base)
    if not paths:
        print("nothing changed")
        return 0
    sources = [path for path in paths if path.endswith(".py")]
    passed = []
    if sources:
        passed.append(_run("ruff", "check", "--force-exclude", *sources))
        passed.append(_run("ruff", "format", "--check", "--force-exclude", *sources))
        passed.append(_run("mypy"))
        passed.append(_run("lint-imports"))
    if tests := tests_of(paths):
        passed.append(_run("pytest", "-q", "-m", UNIT_TESTS, "-n", "2", "--dist", "loadfile", *tests))
    return 0 if all(passed) else 1


if __name__ == "__main__":
    sys.exit(main())
