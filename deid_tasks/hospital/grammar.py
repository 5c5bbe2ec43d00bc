"""The grammar of skeleton files: headers, phrase banks, slots, choices. See `skeletons/README.md`.

A skeleton is compiled once to a tuple of steps; a step is literal text or a function that writes into a scene.
"""

import re
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from pathlib import Path

from deid_tasks.hospital.errors import SkeletonError, SlotError
from deid_tasks.hospital.scene import Piece, Scene
from deid_tasks.hospital.slots import compile_slot

Step = Piece | Callable[[Scene], None]

_HEADER = re.compile(r"===\s+([a-z0-9_]+)((?:\s+\w+=\w+)*)\s*")
_BANK_HEADER = re.compile(r"==\s+([a-z0-9_]+)\s*")
_MARK = re.compile(r"\{\{|\}\}|\{|\}|\[\[|\]\]")
_BANK_DEPTH = 4


@dataclass(frozen=True)
class Skeleton:
    """One note with slots, compiled."""

    name: str
    """``note_type/id``."""
    note_type: str
    file: str
    line: int
    weight: float
    sex: str
    min_age: int
    max_age: int
    case: str
    steps: tuple[Step, ...]


@dataclass(frozen=True)
class _Entry:
    file: str
    line: int
    text: str


def run_steps(steps: Iterable[Step], scene: Scene) -> None:
    """Write ``steps`` into ``scene``."""
    pieces = scene.pieces
    for step in steps:
        if step.__class__ is tuple:
            pieces.append(step)  # type: ignore[arg-type]
        else:
            step(scene)  # type: ignore[operator]


class _Compiler:
    """Compiles the text of one file, with the phrase banks of its folder."""

    def __init__(self, banks: dict[str, list[_Entry]]) -> None:
        self._entries = banks
        self._banks: dict[str, tuple[tuple[Step, ...], ...]] = {}

    def compile(self, text: str, file: str, line: int, depth: int = 0) -> tuple[Step, ...]:
        steps: list[Step] = []
        optional: list[Step] | None = None
        opened = position = 0
        while match := _MARK.search(text, position):
            target = steps if optional is None else optional
            _literal(target, text[position : match.start()])
            mark, position = match.group(), match.end()
            here = line + text.count("\n", 0, match.start())
            if mark in ("{{", "}}"):
                _literal(target, mark[0])
            elif mark == "{":
                end = _closing(text, match.start())
                if end < 0:
                    raise SkeletonError(f"{file}:{here}: '{{' without '}}'")
                target.append(self._slot(text[position:end], file, here, depth))
                position = end + 1
            elif mark == "[[":
                if optional is not None:
                    raise SkeletonError(f"{file}:{here}: '[[' inside '[[ … ]]'")
                optional, opened = [], here
            elif mark == "]]" and optional is not None:
                steps.append(_maybe(tuple(optional)))
                optional = None
            else:
                raise SkeletonError(f"{file}:{here}: {mark!r} without its opening mark (a literal brace is doubled)")
        if optional is not None:
            raise SkeletonError(f"{file}:{opened}: '[[' without ']]'")
        _literal(steps, text[position:])
        return tuple(steps)

    def _slot(self, body: str, file: str, line: int, depth: int) -> Step:
        if body.startswith("@"):
            return self._bank(body[1:].strip(), file, line, depth)
        if body.startswith("pick:"):
            return _choice(tuple(self.compile(part, file, line, depth) for part in _alternatives(body[5:])))
        try:
            return compile_slot(body)
        except SlotError as error:
            raise SkeletonError(f"{file}:{line}: {{{body}}}: {error}") from None

    def _bank(self, name: str, file: str, line: int, depth: int) -> Step:
        if name not in self._entries:
            raise SkeletonError(f"{file}:{line}: {{@{name}}}: no such bank in _phrases.txt")
        if depth >= _BANK_DEPTH:
            raise SkeletonError(f"{file}:{line}: {{@{name}}}: banks refer to each other more than {_BANK_DEPTH} deep")
        if name not in self._banks:
            entries = self._entries[name]
            if not entries:
                raise SkeletonError(f"{file}:{line}: {{@{name}}}: the bank is empty")
            self._banks[name] = tuple(self.compile(e.text, e.file, e.line, depth + 1) for e in entries)
        return _choice(self._banks[name], skewed=True)

    def steps(self) -> dict[str, Step]:
        """Return every bank as a step."""
        return {name: self._bank(name, "_phrases.txt", 1, 0) for name in self._entries}

    def compile_banks(self, problems: list[str]) -> None:
        """Compile every bank, used or not, and add to ``problems`` those that fail."""
        for name, entries in self._entries.items():
            for entry in entries:
                try:
                    self.compile(entry.text, entry.file, entry.line)
                except SkeletonError as error:
                    if str(error) not in problems:
                        problems.append(str(error))
            if not entries:
                problems.append(f"_phrases.txt: bank {name} is empty")


def _literal(steps: list[Step], text: str) -> None:
    if text:
        steps.append((text, None))


def _closing(text: str, start: int) -> int:
    depth = 0
    for position in range(start, len(text)):
        if text[position] == "{":
            depth += 1
        elif text[position] == "}":
            depth -= 1
            if depth == 0:
                return position
    return -1


def _alternatives(text: str) -> list[str]:
    parts, depth, start = [], 0, 0
    for position, character in enumerate(text):
        depth += (character == "{") - (character == "}")
        if character == "|" and depth == 0:
            parts.append(text[start:position])
            start = position + 1
    return [*parts, text[start:]]


def _maybe(steps: tuple[Step, ...]) -> Step:
    def write(scene: Scene) -> None:
        if scene.rng.random() < 0.5:
            run_steps(steps, scene)

    return write


def _choice(options: tuple[tuple[Step, ...], ...], *, skewed: bool = False) -> Step:
    count = len(options)

    def write(scene: Scene) -> None:
        chance = scene.rng.random()
        run_steps(options[int((chance * chance if skewed else chance) * count)], scene)

    return write


def _options(text: str, file: str, line: int) -> dict[str, str]:
    options = dict(part.split("=", 1) for part in text.split())
    allowed: dict[str, Callable[[str], bool]] = {
        "weight": str.isdigit,
        "min_age": str.isdigit,
        "max_age": str.isdigit,
        "sex": {"F", "M"}.__contains__,
        "case": {"upper", "lower"}.__contains__,
    }
    for key, value in options.items():
        if key not in allowed:
            raise SkeletonError(f"{file}:{line}: unknown option {key!r} (known: {', '.join(allowed)})")
        if not allowed[key](value):
            raise SkeletonError(f"{file}:{line}: option {key}={value} is not valid")
    return options


def _read(path: Path) -> list[str]:
    try:
        return path.read_text(encoding="utf-8").split("\n")
    except UnicodeDecodeError:
        raise SkeletonError(f"{path.name}:1: not UTF-8") from None


def _read_banks(path: Path, problems: list[str]) -> dict[str, list[_Entry]]:
    banks: dict[str, list[_Entry]] = {}
    if not path.is_file():
        return banks
    current: list[_Entry] | None = None
    for line, text in enumerate(_read(path), start=1):
        if text.startswith("== "):
            match = _BANK_HEADER.fullmatch(text)
            name = match.group(1) if match else ""
            if not match or name in banks:
                problems.append(f"{path.name}:{line}: expected '== bank_name', each name once, of a-z, 0-9 and _")
                continue
            current = banks[name] = []
        elif text.strip() and not text.startswith("#"):
            if current is None:
                problems.append(f"{path.name}:{line}: an entry before the first '== bank_name'")
            else:
                current.append(_Entry(path.name, line, text.rstrip().replace("\\n", "\n")))
    return banks


def _read_file(path: Path, compiler: _Compiler, problems: list[str]) -> list[Skeleton]:
    lines = _read(path)
    starts = [number for number, text in enumerate(lines) if re.match(r"===\s", text)]
    preamble = lines[: starts[0]] if starts else lines
    if any(text.strip() and not text.startswith("#") for text in preamble):
        problems.append(f"{path.name}:1: text before the first '=== skeleton_id' header")
    skeletons: list[Skeleton] = []
    seen: set[str] = set()
    for start, end in zip(starts, [*starts[1:], len(lines)], strict=True):
        try:
            skeleton = _read_skeleton(path, lines, start, end, compiler)
            if skeleton.name in seen:
                raise SkeletonError(f"{path.name}:{start + 1}: the id stands twice in this file")
        except SkeletonError as error:
            problems.append(str(error))
            continue
        seen.add(skeleton.name)
        skeletons.append(skeleton)
    return skeletons


def _read_skeleton(path: Path, lines: list[str], start: int, end: int, compiler: _Compiler) -> Skeleton:
    file, line = path.name, start + 1
    match = _HEADER.fullmatch(lines[start])
    if not match:
        raise SkeletonError(
            f"{file}:{line}: expected '=== skeleton_id option=value …' with an id of a-z, 0-9 and _ "
            "(a banner inside a note must not begin with exactly three equals signs and a space)"
        )
    name, options = match.group(1), _options(match.group(2), file, line)
    first = start + 1
    while first < end and not lines[first].strip():
        first += 1
    body = "\n".join(lines[first:end]).rstrip()
    if not body:
        raise SkeletonError(f"{file}:{line}: skeleton {name} is empty")
    return Skeleton(
        name=f"{path.stem}/{name}",
        note_type=path.stem,
        file=file,
        line=line,
        weight=float(options.get("weight", "1")),
        sex=options.get("sex", ""),
        min_age=int(options.get("min_age", "0")),
        max_age=int(options.get("max_age", "130")),
        case=options.get("case", ""),
        steps=compiler.compile(body, file, first + 1),
    )


def read_skeletons(folder: Path) -> tuple[tuple[Skeleton, ...], list[str]]:
    """Return all skeletons of a folder in the order of their names, and what is wrong with those that do not parse.

    Each problem reads ``file:line: reason``. The files of a folder are its note types; ``_phrases.txt`` holds the
    banks.
    """
    problems: list[str] = []
    compiler = _Compiler(_read_banks(folder / "_phrases.txt", problems))
    compiler.compile_banks(problems)
    skeletons = [
        skeleton
        for path in sorted(folder.glob("*.txt"))
        if not path.name.startswith("_")
        for skeleton in _read_file(path, compiler, problems)
    ]
    return tuple(skeletons), list(dict.fromkeys(problems))


def read_banks(path: Path) -> dict[str, Step]:
    """Return each bank of a phrase file as one step that writes one of its entries. Raises ``SkeletonError``."""
    problems: list[str] = []
    compiler = _Compiler(_read_banks(path, problems))
    compiler.compile_banks(problems)
    if problems:
        raise SkeletonError("; ".join(problems))
    return compiler.steps()
