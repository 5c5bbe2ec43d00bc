"""The single reader of settings files."""

import copy
import os
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

import yaml
from pydantic import ValidationError

from deid_tasks.core.errors import SettingsError
from deid_tasks.core.yaml_text import parse_yaml
from deid_tasks.settings.engine import EngineSettings
from deid_tasks.settings.institution import InstitutionSettings

if TYPE_CHECKING:
    from pydantic_core import ErrorDetails

SUFFIXES = (".yaml", ".yml")
"""File names that are read as institutions."""
_SECTION_TYPES = {"model_type", "model_attributes_type", "dict_type"}
"""What pydantic calls the error of a section that is not a mapping."""
_SHOWN_PROBLEMS, _SHOWN_CHARACTERS = 20, 200

_Settings = TypeVar("_Settings", bound=EngineSettings)


def load_institution(path: Path) -> InstitutionSettings:
    """Read and validate one institution's YAML.

    ``${NAME}`` and ``${NAME:-default}`` at the start of ``work_dir`` and ``workspace.local_dir`` are replaced by
    environment variables.

    Args:
        path: The file, ending in ``.yaml`` or ``.yml``; if it is missing, the file with the other ending is read.

    Raises:
        SettingsError: the file is missing, is not YAML, or breaks the model; the text names the file and each key.
            Also if files with both endings exist.
    """
    path = _existing(path)
    document, text = _read(path)
    if isinstance(document.get("work_dir"), str):
        document["work_dir"] = _expand(document["work_dir"], "work_dir", path)
    workspace = document.get("workspace")
    if isinstance(workspace, dict) and isinstance(workspace.get("local_dir"), str):
        workspace["local_dir"] = _expand(workspace["local_dir"], "workspace.local_dir", path)
    settings = _validate(InstitutionSettings, document, text, path)
    if settings.institution != path.stem:
        raise SettingsError(f"{path}: institution is {settings.institution!r}, but the file is named {path.stem!r}")
    return settings


def load_engine_settings(path: Path) -> EngineSettings:
    """Read and validate the YAML of an engine without an institution; what it leaves out is as in the public engine.

    Raises:
        SettingsError: the file is missing, is not YAML, or breaks the model; the text names the file and each key.
    """
    document, text = _read(path)
    detect = document.setdefault("detect", {})
    if isinstance(detect, dict):
        detect.setdefault("detectors", list(EngineSettings.public().detect.detectors))
    return _validate(EngineSettings, document, text, path)


def load_institutions(folder: Path) -> list[InstitutionSettings]:
    """Return every institution of a folder of ``.yaml`` and ``.yml`` files, by name."""
    return [load_institution(path) for path in institution_files(folder)]


def read_institutions(folder: Path) -> tuple[list[InstitutionSettings], list[str]]:
    """Return the institutions of a folder whose files are valid, by name, and one sentence for each invalid file."""
    usable, problems = [], []
    for path in institution_files(folder):
        try:
            usable.append(load_institution(path))
        except SettingsError as error:
            problems.append(" ".join(str(error).split()))
    return usable, problems


def institution_files(folder: Path) -> Iterator[Path]:
    """Yield the institutions' files of a folder, by name."""
    yield from sorted(path for path in folder.iterdir() if path.suffix in SUFFIXES)


def json_schema() -> dict[str, Any]:
    """Return the JSON Schema that editors validate an institution's YAML with."""
    return InstitutionSettings.model_json_schema()


def _existing(path: Path) -> Path:
    """Return the one file of an institution, whichever ending it has; ``path`` if there is none."""
    found = [path.with_suffix(suffix) for suffix in SUFFIXES if path.with_suffix(suffix).is_file()]
    if len(found) > 1:
        raise SettingsError(f"{found[0]}: {found[1].name} defines the same institution; delete one of the two files")
    return found[0] if found else path


def _read(path: Path) -> tuple[dict[str, Any], str]:
    """Return the content of a YAML file as a mapping, and as text."""
    try:
        text = path.read_text(encoding="utf-8")
        document = parse_yaml(text)
    except OSError as error:
        raise SettingsError(f"{path}: cannot be read: {error.strerror}") from None
    except UnicodeDecodeError as error:
        raise SettingsError(f"{path}: is not valid YAML: it is not UTF-8 at byte {error.start}") from None
    except ValueError as error:
        raise SettingsError(f"{path}: is not valid YAML: {error}") from None
    if not isinstance(document, dict):
        raise SettingsError(f"{path}: must be a mapping of settings")
    return document, text


def _validate(model: type[_Settings], document: dict[str, Any], text: str, path: Path) -> _Settings:
    try:
        return model.model_validate(document, context={"file": str(path)})
    except ValidationError as error:
        node = yaml.compose(text, Loader=yaml.SafeLoader)
        found = error.errors(include_url=False, include_input=False)
        problems = "; ".join(
            f"{'.'.join(map(str, e['loc']))[:_SHOWN_CHARACTERS] or 'file'}: {_what_is_wrong(e, model, document)}"
            f"{_line_of(node, e['loc'])}"
            for e in found[:_SHOWN_PROBLEMS]
        )
        more = f"; and {len(found) - _SHOWN_PROBLEMS} more" if len(found) > _SHOWN_PROBLEMS else ""
        raise SettingsError(f"{path}: {problems}{more}") from None


def _what_is_wrong(error: "ErrorDetails", model: type[EngineSettings], document: dict[str, Any]) -> str:
    """Return the message of one error; a section that is empty, or is none, is told in the words of a file."""
    if error["type"] not in _SECTION_TYPES:
        return error["msg"]
    *parents, last = error["loc"]
    filled = copy.deepcopy(document)
    section: Any = filled
    try:
        for step in parents:
            section = section[step]
        if section[last] is not None:
            return "must be a mapping of settings"
    except (KeyError, IndexError, TypeError):
        # The path goes through a choice of the model, which the file does not have.
        return error["msg"]
    section[last] = {}
    try:
        model.model_validate(filled)
        missing = []
    except ValidationError as others:
        missing = [
            str(e["loc"][-1])
            for e in others.errors(include_url=False, include_input=False)
            if e["type"] == "missing" and e["loc"][:-1] == error["loc"]
        ]
    needed = f"it needs {', '.join(missing)}" if missing else "write its settings below it, or remove it"
    return f"the section is empty: {needed}"


def _line_of(node: yaml.Node | None, location: Sequence[int | str]) -> str:
    """Return the line of a setting as `` (line 12)``; of a missing one, the line of the section it belongs to."""
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


def _expand(value: str, setting: str, path: Path) -> str:
    if not value.startswith("${"):
        return value
    name, closed, rest = value[2:].partition("}")
    if not closed:
        raise SettingsError(f"{path}: {setting}: '${{' is not closed")
    name, _, default = name.partition(":-")
    found = os.environ.get(name, default)
    if not found:
        raise SettingsError(f"{path}: {setting}: environment variable {name} is not set")
    return found + rest
