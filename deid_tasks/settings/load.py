"""The single reader of institution YAML files."""

import os
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import yaml
from pydantic import ValidationError

from deid_tasks.core.errors import SettingsError
from deid_tasks.settings.model import InstitutionSettings


def load_institution(path: Path) -> InstitutionSettings:
    """Read and validate one institution's YAML; ``${NAME}`` and ``${NAME:-default}`` in ``work_dir`` come from the environment.

    Raises:
        SettingsError: the file is missing, no YAML, or breaks the model; the text names the file and each offending key.
    """
    try:
        text = path.read_text(encoding="utf-8")
        document = yaml.safe_load(text)
    except OSError as error:
        raise SettingsError(f"{path}: cannot be read: {error.strerror}") from None
    except (yaml.YAMLError, UnicodeDecodeError) as error:
        raise SettingsError(f"{path}: is no valid YAML: {error}") from None
    if not isinstance(document, dict):
        raise SettingsError(f"{path}: must be a mapping of settings")
    if isinstance(document.get("work_dir"), str):
        document["work_dir"] = _expand(document["work_dir"], path)
    try:
        settings = InstitutionSettings.model_validate(document)
    except ValidationError as error:
        problems = "; ".join(
            f"{'.'.join(map(str, e['loc'])) or 'file'}: {e['msg']}{_line_of(text, e['loc'])}" for e in error.errors()
        )
        raise SettingsError(f"{path}: {problems}") from None
    if settings.institution != path.stem:
        raise SettingsError(f"{path}: institution is {settings.institution!r}, but the file is named {path.stem!r}")
    return settings


def load_institutions(folder: Path) -> list[InstitutionSettings]:
    """Every institution of a folder of YAML files, by name."""
    return [load_institution(path) for path in sorted(folder.glob("*.yaml"))]


def json_schema() -> dict[str, Any]:
    """The JSON Schema that editors validate an institution's YAML with."""
    return InstitutionSettings.model_json_schema()


def _line_of(text: str, location: Sequence[int | str]) -> str:
    """Where in the file a setting stands, as `` (line 12)``; of one that is missing, the section it would stand in."""
    node: yaml.Node | None = yaml.compose(text, Loader=yaml.SafeLoader)
    if node is None:
        return ""
    line = node.start_mark.line
    for step in location:
        if isinstance(node, yaml.MappingNode):
            found = next((pair for pair in node.value if pair[0].value == str(step)), None)
            if found is None:
                break
            line, node = found[0].start_mark.line, found[1]
        elif isinstance(node, yaml.SequenceNode) and isinstance(step, int) and step < len(node.value):
            node = node.value[step]
            line = node.start_mark.line
        else:
            break
    return f" (line {line + 1})"


def _expand(value: str, path: Path) -> str:
    if not value.startswith("${"):
        return value
    name, closed, rest = value[2:].partition("}")
    if not closed:
        raise SettingsError(f"{path}: work_dir: '${{' is not closed")
    name, _, default = name.partition(":-")
    found = os.environ.get(name, default)
    if not found:
        raise SettingsError(f"{path}: work_dir: environment variable {name} is not set")
    return found + rest
