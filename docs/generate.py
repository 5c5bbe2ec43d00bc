"""Write the reference pages that are facts of the code: settings, command line, DAGs, tables, detectors, policies.

python docs/generate.py            # writes docs/reference/*.md
python docs/generate.py --check    # exits with 1 if a page is not current
"""

import argparse
import difflib
import re
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import typer.main
import yaml

ROOT = Path(__file__).resolve().parents[1]
TARGET = ROOT / "docs" / "reference"
_NOTICE = "<!-- Written by docs/generate.py. Change the code it describes, then run it again. -->\n"


def settings_page() -> str:
    """Return the page of all settings, from the JSON schema of an institution."""
    from deid_tasks.settings import json_schema

    schema = json_schema()
    definitions = schema.get("$defs", {})
    lines = [
        "# Settings",
        "",
        "All keys of an institution's file, `<name>.yaml` in the folder of `PALIMPSEST_INSTITUTIONS` or in"
        " `dags/institutions`, from the model that validates them.",
        "`schema.json` beside it lets editors check the file. A key without a default must be given.",
        "`${NAME}` and `${NAME:-default}` are replaced by environment variables.",
        "",
    ]
    sections = []
    lines += ["| key | type | default | meaning |", "|---|---|---|---|"]
    for name, one in schema["properties"].items():
        target = _reference(one)
        if target:
            sections.append((name, target))
            text = one.get("description") or definitions[target].get("description", "")
            lines.append(f"| [`{name}`](#{name}) | section | | {_cell(text)} |")
        else:
            lines.append(_setting_row(name, one, schema))
    for name, target in sections:
        lines += ["", *_settings_section(name, target, definitions)]
    return "\n".join(lines) + "\n"


def _settings_section(path: str, name: str, definitions: dict[str, Any]) -> list[str]:
    model = definitions[name]
    lines = [
        f"## {path}",
        "",
        model.get("description", ""),
        "",
        "| key | type | default | meaning |",
        "|---|---|---|---|",
    ]
    nested = []
    for key, one in model.get("properties", {}).items():
        if one.get("deprecated"):
            continue
        target = _reference(one)
        if target and "properties" in definitions[target]:
            nested.append((f"{path}.{key}", target))
            text = one.get("description") or definitions[target].get("description", "")
            lines.append(f"| [`{key}`](#{(path + key).replace('.', '')}) | section | | {_cell(text)} |")
        else:
            lines.append(_setting_row(key, one, model))
    for inner, target in nested:
        lines += ["", *_settings_section(inner, target, definitions)]
    return lines


def _setting_row(key: str, one: dict[str, Any], parent: dict[str, Any]) -> str:
    is_needed = key in parent.get("required", ())
    default = "required" if is_needed else f"`{_plain(one.get('default'))}`"
    return f"| `{key}` | {_type(one)} | {default} | {_cell(one.get('description', ''))} |"


def _reference(one: dict[str, Any]) -> str | None:
    for part in (one, *one.get("anyOf", ()), *one.get("allOf", ()), one.get("items", {})):
        if isinstance(part, dict) and "$ref" in part:
            name = str(part["$ref"]).rsplit("/", 1)[-1]
            return name if name.endswith(("Settings", "Rule", "Stage", "Model")) else None
    return None


def _type(one: dict[str, Any]) -> str:
    if "enum" in one:
        return " or ".join(f"`{value}`" for value in one["enum"])
    if "anyOf" in one:
        return " or ".join(_type(part) for part in one["anyOf"])
    if "$ref" in one:
        return str(one["$ref"]).rsplit("/", 1)[-1]
    if one.get("type") == "array":
        return f"list of {_type(one['items'])}" if isinstance(one.get("items"), dict) else "list"
    if one.get("type") == "object":
        inner = one.get("additionalProperties")
        return f"map to {_type(inner)}" if isinstance(inner, dict) else "map"
    return {"null": "none"}.get(str(one.get("type", "")), str(one.get("type", "any")))


def _plain(value: object) -> str:
    if isinstance(value, dict):
        return "{…}" if value else "{}"
    if isinstance(value, list):
        return "[" + ", ".join("{…}" if isinstance(item, dict) else str(item) for item in value) + "]"
    if isinstance(value, bool):
        return str(value).lower()
    return "none" if value is None else str(value)


def command_page() -> str:
    """Return the page of all commands, from the command line's own help."""
    from deid_tasks.cli.app import app

    lines = ["# Command line", "", "`deid COMMAND --help` prints the same."]
    for path, command in _commands(typer.main.get_command(app), ("deid",)):
        arguments = [one for one in command.params if one.param_type_name == "argument"]
        usage = " ".join((*path, *(one.name.upper() for one in arguments), "[OPTIONS]"))
        lines += ["", f"## {' '.join(path)}", "", _paragraphs(command.help or ""), "", "```", usage, "```", ""]
        rows = [
            _parameter_row(one) for one in command.params if one.name != "help" and not getattr(one, "hidden", False)
        ]
        if rows:
            lines += ["| argument or option | default | meaning |", "|---|---|---|", *rows]
    return "\n".join(lines) + "\n"


def _commands(command: Any, path: tuple[str, ...]) -> Iterator[tuple[tuple[str, ...], Any]]:
    """Yield each command that does something, with the words that call it. Typer brings its own copy of click's
    classes.
    """
    inner = getattr(command, "commands", None)
    if inner is None:
        yield path, command
        return
    for name, one in inner.items():
        if not one.hidden:
            yield from _commands(one, (*path, name))


def _parameter_row(one: Any) -> str:
    is_argument = one.param_type_name == "argument"
    name = one.name.upper() if is_argument else ", ".join((*one.opts, *one.secondary_opts))
    default = one.default
    shown = (
        "required" if one.required else "" if default in (None, False, (), ...) or callable(default) else f"`{default}`"
    )
    return f"| `{name}` | {shown} | {_cell(one.help or '')} |"


def tables_page() -> str:
    """Return the page of all tables, from dbt's YAML."""
    lines = [
        "# Tables",
        "",
        "Columns as dbt declares and tests them. `phi`: none, quasi (with other columns), direct. Schemas:",
        "[Architecture](../explanation/architecture.md#the-databases).",
    ]
    parts = (
        ("The canonical staging contract", "staging/models.yml", "models"),
        ("History of values: snapshots", "../snapshots/snapshots.yml", "snapshots"),
        ("Values of now and before", "history/models.yml", "models"),
        ("Dictionaries", "dictionaries/models.yml", "models"),
        ("Results, written by the engine", "quality/sources_results.yml", "sources"),
        ("Samples and gold sets, written by the engine", "quality/sources_gold.yml", "sources"),
        ("Views for people", "quality/models.yml", "models"),
    )
    for title, path, kind in parts:
        document = yaml.safe_load((ROOT / "dbt" / "models" / path).read_text(encoding="utf-8"))
        tables = document[kind] if kind != "sources" else [one for source in document[kind] for one in source["tables"]]
        lines += ["", f"## {title}"]
        for table in tables:
            lines += ["", f"### {table['name']}", "", str(table.get("description", "")).strip(), ""]
            lines += ["| column | type | phi | meaning |", "|---|---|---|---|"]
            lines += [_column_row(column) for column in table.get("columns", ())]
    return "\n".join(lines) + "\n"


def _column_row(column: dict[str, Any]) -> str:
    meta = column.get("config", {}).get("meta", {})
    text = _cell(str(column.get("description", "")))
    return f"| {column['name']} | {column.get('data_type', '')} | {meta.get('phi', '')} | {text} |"


def detectors_page() -> str:
    """Return the page of all detectors, from their registry."""
    from deid_tasks.core.detectors import DETECTORS

    lines = [
        "# Detectors",
        "",
        "From the registry `deid_tasks/core/detectors.py`, in the order of their default priority:",
        "where spans overlap, the earlier detector wins.",
        "",
        "| name | finds | needs | cost | recovery may remove |",
        "|---|---|---|---|---|",
    ]
    lines += [
        f"| `{one.name}` | {_cell(one.description)} | {one.requirement} | {one.cost} | {one.recoverable} |"
        for one in DETECTORS.values()
    ]
    return "\n".join(lines) + "\n"


def roles_page() -> str:
    """Return the page of all database roles, from the table that grants their rights."""
    from deid_tasks.platform.warehouse.roles import EVERY_TABLE, MEANINGS, OWNERS, RIGHTS

    lines = [
        "# Database roles",
        "",
        "Each institution has these group roles, `<institution>_<role>`, which cannot log in; `deid roles` writes the",
        "SQL that makes them. No role may do what is not here.",
        "[How to use them](../how-to/separate-roles.md).",
        "",
        "| role | its tasks | owns the schemas |",
        "|---|---|---|",
    ]
    for task, meaning in MEANINGS.items():
        owned = ", ".join(f"`_{layer}`" for layer, owner in OWNERS.items() if owner == task)
        lines.append(f"| `{task}` | {_cell(meaning)} | {owned} |")
    for task, rights in RIGHTS.items():
        if not rights:
            continue
        lines += ["", f"## {task}", "", "| schema | table | may |", "|---|---|---|"]
        for right in rights:
            table = "every table" if right.table == EVERY_TABLE else f"`{right.table}`"
            columns = f" ({', '.join(right.columns)} alone)" if right.columns else ""
            lines.append(f"| `_{right.layer}` | {table} | {', '.join(right.privileges)}{columns} |")
    return "\n".join(lines) + "\n"


def dags_page() -> str:
    """Return the page of all DAGs, from their own documentation."""
    lines = [
        "# DAGs",
        "",
        "Each institution has one set; the texts are those that Airflow shows. New DAGs start paused.",
    ]
    for path in sorted((ROOT / "dags" / "docs").glob("*.md")):
        title, _, text = path.read_text(encoding="utf-8").strip().partition("\n")
        title = title.lstrip("# ").replace("{title}: ", "").replace("{institution}", "<institution>")
        text = text.strip().replace("{dag_id}", f"{path.stem}__<institution>")
        lines += [
            "",
            f"## {path.stem}__&lt;institution&gt;",
            "",
            f"{title[:1].upper()}{title[1:]}.",
            "",
            _readable(text),
        ]
    return "\n".join(lines) + "\n"


def _readable(text: str) -> str:
    """Return a DAG's text with its placeholders as words."""
    return re.sub(r"\{(\w+)[^}]*\}", lambda match: f"<{match[1]}>", text)


def _paragraphs(text: str) -> str:
    return "\n".join(line.strip() for line in text.replace("\f", "").strip().splitlines())


def _cell(text: str) -> str:
    return " ".join(text.split()).replace("|", "\\|")


def policies_page() -> str:
    """Return the page of forms and of what each policy makes of them, from the tables in ``core``."""
    from deid_tasks.core.forms import FORMS
    from deid_tasks.core.policies import EXPERT, PRESETS

    lines = [
        "# Policies and forms",
        "",
        "What `policy.preset` and `--policy` name, and the forms that they decide about.",
        "What this means: [Policies](../explanation/policies.md).",
        "",
        "## Forms",
        "",
        "| form | entity | example | what it is |",
        "|---|---|---|---|",
    ]
    lines += [f"| `{form}` | {one.entity} | {_cell(one.example)} | {_cell(one.means)} |" for form, one in FORMS.items()]
    for name, preset in PRESETS.items():
        if name != EXPERT:
            lines += _preset_lines(preset)
    return "\n".join(lines) + "\n"


def _preset_lines(preset: Any) -> list[str]:
    lines = ["", f"## {preset.name}", "", f"{preset.title[:1].upper()}{preset.title[1:]}.", ""]
    lines += ["| becomes | forms | by |", "|---|---|---|"]
    for action in ("keep", "surrogate", "mask", "remove"):
        paragraphs: dict[str, list[str]] = {}
        for form, rule in preset.rules.items():
            if rule.action == action:
                paragraphs.setdefault(rule.paragraph, []).append(f"`{form}`")
        lines += [f"| {action} | {', '.join(forms)} | {_cell(by)} |" for by, forms in paragraphs.items()]
    settings = (
        f"`{key}: {_plain(list(value) if isinstance(value, tuple) else value)}`"
        for key, value in preset.settings.items()
    )
    if preset.not_listed:
        may = ", ".join(f"`{form}`" for form in preset.rules if form in preset.not_listed)
        lines += [
            "",
            f"`policy.forms` may keep these, with a warning: {may}. No other form that is replaced may be kept.",
        ]
    return [*lines, "", f"Its other settings: {', '.join(settings)}."]


PAGES: dict[str, Callable[[], str]] = {
    "settings.md": settings_page,
    "cli.md": command_page,
    "dags.md": dags_page,
    "detectors.md": detectors_page,
    "policies.md": policies_page,
    "roles.md": roles_page,
    "tables.md": tables_page,
}


def main() -> int:
    """Write all pages, or compare them with what they should be."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--check", action="store_true", help="compare instead of writing")
    is_check = parser.parse_args().check
    stale = 0
    for name, make in PAGES.items():
        path = TARGET / name
        title, _, rest = make().partition("\n")
        text = f"{title}\n\n{_NOTICE}{rest}"
        present = path.read_text(encoding="utf-8") if path.exists() else ""
        if text == present:
            continue
        if is_check:
            stale += 1
            changes = difflib.unified_diff(
                present.splitlines(), text.splitlines(), str(path), "as generated", lineterm="", n=0
            )
            print("\n".join(list(changes)[:20]))
        else:
            path.write_text(text, encoding="utf-8")
            print(f"wrote {path.relative_to(ROOT)}")
    if stale:
        print(f"{stale} pages are not current: run python docs/generate.py")
    return bool(stale)


if __name__ == "__main__":
    sys.exit(main())
