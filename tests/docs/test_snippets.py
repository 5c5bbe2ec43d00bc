"""The snippets of README and docs run: every ```python block, and every ```bash block, in the order of its page.

A snippet that needs a platform follows ``<!-- skip: next -->``. Shell commands that are shown only stand in blocks
without a language. The blocks of a page share their names and a temporary folder.
"""

import os
import subprocess
import sys
from pathlib import Path

import pytest
from sybil import Example, Sybil
from sybil.example import SybilFailure
from sybil.parsers.markdown import CodeBlockParser, PythonCodeBlockParser, SkipParser

ROOT = Path(__file__).parents[2]
PAGES = sorted([ROOT / "README.md", ROOT / "CONTRIBUTING.md", *(ROOT / "docs").rglob("*.md")])


def run_shell(example: Example) -> str | None:
    """Run a block with bash; return what failed."""
    path = os.pathsep.join((str(Path(sys.executable).parent), os.environ["PATH"]))
    environment = os.environ | {"PATH": path, "PYTHONPATH": str(ROOT), "HF_HUB_OFFLINE": "1"}
    done = subprocess.run(
        ["bash", "-euo", "pipefail", "-c", example.parsed], env=environment, capture_output=True, text=True, check=False
    )
    return None if done.returncode == 0 else f"exit status {done.returncode}\n{done.stdout}\n{done.stderr}"


PARSERS = Sybil(parsers=[PythonCodeBlockParser(), CodeBlockParser("bash", run_shell), SkipParser()])


def run_page(path: Path) -> None:
    for example in PARSERS.parse(path).examples():
        example.evaluate()


@pytest.mark.parametrize("page", PAGES, ids=[str(page.relative_to(ROOT)) for page in PAGES])
def test_the_snippets_of_a_page_run(page, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    run_page(page)


@pytest.mark.parametrize(
    ("text", "fails"),
    [
        ("```python\nx = 1\n```\n\n```python\nassert x == 1\n```\n", False),
        ("```python\nassert False\n```\n", True),
        ("<!-- skip: next -->\n\n```python\nassert False\n```\n", False),
        ("```bash\necho right\n```\n", False),
        ("```bash\nfalse\n```\n", True),
        ("```\nfalse\n```\n", False),
    ],
)
def test_what_runs_and_what_is_skipped(tmp_path, text, fails):
    page = tmp_path / "page.md"
    page.write_text(text)
    if fails:
        with pytest.raises((AssertionError, SybilFailure)):
            run_page(page)
    else:
        run_page(page)
