"""No figure is ever cut: on a narrow terminal, in a pipe, as JSON and as CSV."""

import csv
import io
import json
from pathlib import Path

import pytest
from rich.console import Console

from deid_tasks.cli.output import Output
from deid_tasks.core.figure_table import COUNT, SCORE, Column, FigureTable, print_table
from tests.support.command_line import NOTE, deid, write

COLUMNS = (
    Column("engine", "engine"),
    Column("recall", "recall", SCORE),
    Column("lower", "from", SCORE, is_wide=True),
    Column("upper", "to", SCORE, is_wide=True),
    Column("words", "words", COUNT),
)
ROWS = [
    {"engine": "full", "recall": 0.97123, "lower": 0.9612, "upper": 0.9801, "words": 1_234_567},
    {"engine": "without second-stage model and everything else of a long name", "recall": 0.9, "words": 0},
]
TABLE = FigureTable("gold notes", COLUMNS, ROWS, lambda row: row["engine"] == "full")


def printed(width: int, *, is_terminal: bool, is_wide: bool = False) -> str:
    file = io.StringIO()
    print_table(Console(file=file, width=width, force_terminal=is_terminal, color_system=None), TABLE, is_wide=is_wide)
    return file.getvalue()


@pytest.mark.parametrize("is_terminal", [True, False])
@pytest.mark.parametrize("width", [20, 40, 80, 200])
@pytest.mark.parametrize("is_wide", [True, False])
def test_no_figure_is_cut_at_any_width(width, is_terminal, is_wide):
    shown = printed(width, is_terminal=is_terminal, is_wide=is_wide)
    assert "…" not in shown
    for figure in ("0.9712", "0.9000", "1,234,567", *(("0.9612", "0.9801") if is_wide else ())):
        assert figure in shown


def test_a_long_name_is_folded_on_a_terminal_of_80_columns():
    lines = printed(60, is_terminal=True).splitlines()
    assert max(map(len, lines)) <= 60
    assert "long name" in "".join(lines)


def test_a_pipe_gets_plain_text_in_aligned_columns():
    assert printed(20, is_terminal=False).splitlines() == [
        "gold notes",
        "engine                                                         recall      words",
        "full                                                           0.9712  1,234,567",
        "without second-stage model and everything else of a long name  0.9000          0",
        "",
    ]


def test_a_missing_figure_is_a_dash_and_a_missing_text_is_empty():
    assert COLUMNS[1].cell(None) == "–"
    assert COLUMNS[0].cell(None) == ""


def test_json_on_standard_output_takes_the_place_of_tables(capsys, tmp_path):
    output = Output(Path("-"), tmp_path / "rows.csv", console=Console())
    output.table(TABLE)
    output.line("a sentence")
    output.files({"rows": ROWS}, ROWS)
    assert json.loads(capsys.readouterr().out) == {"rows": ROWS}
    rows = list(csv.DictReader((tmp_path / "rows.csv").open()))
    assert [row["recall"] for row in rows] == ["0.97123", "0.9"]
    assert rows[1]["lower"] == ""


@pytest.fixture(scope="module")
def gold(tmp_path_factory):
    spans = [{"start": 12, "end": 18, "entity": "PROVIDER"}, {"start": 22, "end": 31, "entity": "DATE"}]
    note = {"id": "a", "text": NOTE, "spans": spans, "note_type": "progress_note"}
    return write(tmp_path_factory.mktemp("gold") / "gold.jsonl", note)


@pytest.mark.parametrize("command", ["evaluate", "bench", "ablate", "agreement"])
def test_a_piped_command_fits_80_columns_and_cuts_nothing(command, gold):
    arguments = [command, gold, *([gold] if command == "agreement" else [])]
    result = deid(*arguments, COLUMNS="80")
    assert result.returncode == 0, result.stderr
    table = result.stdout.decode().split("\n\n")[0]
    assert max(map(len, table.splitlines())) <= 80
    for mark in "…│┃":
        assert mark not in result.stdout.decode()


def test_wide_adds_intervals_and_csv_holds_every_figure(gold, tmp_path):
    result = deid("evaluate", gold, gold, "--wide", "--csv", tmp_path / "figures.csv")
    assert result.returncode == 0, result.stderr
    headings = [line.split()[:4] for line in result.stdout.decode().splitlines()]
    assert ["entity", "recall", "from", "to"] in headings
    rows = list(csv.DictReader((tmp_path / "figures.csv").open()))
    assert {"view", "metric", "value", "lower", "upper", "true_positives"} <= set(rows[0])


def test_an_old_option_name_is_accepted_with_a_warning_that_names_the_new_one(tmp_path):
    (tmp_path / "text.txt").write_text("Chest pain. Chest pain.")
    result = deid("corpus", "count", tmp_path / "text.txt", "--least", 2, "--longest=2")
    assert result.returncode == 0, result.stderr
    assert result.stdout == b"term,occurrences\nchest,2\npain,2\n"
    assert b"--least was renamed; use --min-occurrences" in result.stderr
    assert b"--longest was renamed; use --max-words" in result.stderr
