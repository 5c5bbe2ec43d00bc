"""Surrogates word for word, under a fixed key: nobody changes by accident what earlier runs have published."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

CASES = [
    tuple(line.split("\t"))
    for line in (Path(__file__).parent / "golden.tsv").read_text(encoding="utf-8").splitlines()[2:]
]


@pytest.mark.parametrize(("marked", "rewritten"), CASES, ids=[marked for marked, _ in CASES])
def test_surrogate(rewrite, marked, rewritten):
    assert rewrite(marked) == rewritten


def test_every_process_agrees():
    """Nothing depends on the order of sets, which Python draws anew in each process."""
    program = (
        "from tests.support.surrogate_cases import MARIA, WRITTEN_AT, obfuscator\n"
        "from tests.support.markup import read_markup\n"
        "from tests.engine.obfuscate.test_golden import CASES\n"
        "from deid_tasks.engine.text import Document\n"
        "for marked, rewritten in CASES:\n"
        "    text, spans = read_markup(marked)\n"
        "    assert obfuscator().obfuscate(Document('n', text, 'p1'), spans, MARIA, WRITTEN_AT).text == rewritten\n"
    )
    for seed in ("1", "2"):
        environment = os.environ | {"PYTHONHASHSEED": seed, "PYTHONPATH": os.pathsep.join(filter(None, sys.path))}
        assert subprocess.run([sys.executable, "-c", program], env=environment, check=False).returncode == 0
