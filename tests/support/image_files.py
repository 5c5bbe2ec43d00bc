"""What the Dockerfile puts into an image, read from its COPY lines and .dockerignore, without a Docker engine."""

import re
import shutil
from dataclasses import dataclass, field
from fnmatch import translate
from pathlib import Path, PurePosixPath

ROOT = Path(__file__).resolve().parents[2]


@dataclass(frozen=True)
class Copy:
    """One COPY line that reads the build context."""

    sources: tuple[str, ...]
    target: str


@dataclass
class Stage:
    """One FROM of a Dockerfile."""

    base: str
    name: str
    folder: str = "/"
    copies: list[Copy] = field(default_factory=list)
    from_stages: list[str] = field(default_factory=list)
    runs: list[str] = field(default_factory=list)
    user: str = ""


def stages(dockerfile: Path = ROOT / "Dockerfile") -> dict[str, Stage]:
    """Return the stages of a Dockerfile by name, each with the user and folder of the stage that it continues."""
    found: dict[str, Stage] = {}
    current = Stage("", "")
    for line in _logical_lines(dockerfile.read_text(encoding="utf-8")):
        word, _, rest = line.partition(" ")
        match word.upper():
            case "FROM":
                base, _, name = rest.partition(" AS ")
                parent = found.get(base, Stage("", ""))
                current = Stage(base, name, parent.folder, list(parent.copies), list(parent.from_stages))
                current.runs, current.user = list(parent.runs), parent.user
                found[name] = current
            case "WORKDIR":
                current.folder = rest
            case "USER":
                current.user = rest
            case "RUN":
                current.runs.append(rest)
            case "COPY":
                _read_copy(current, rest)
    return found


def context_files(root: Path = ROOT) -> set[str]:
    """Return the files of the checkout that .dockerignore lets pass, relative to its root."""
    rules = [line for line in (root / ".dockerignore").read_text().splitlines() if line and line[0] != "#"]
    tops = [rule[1:] for rule in rules if rule.startswith("!")]
    files: set[str] = set()
    for top in tops:
        path = root / top
        files |= {str(one.relative_to(root)) for one in path.rglob("*") if one.is_file()} if path.is_dir() else {top}
    return {file for file in files if not _is_ignored(file, rules)}


def copy_stage(stage: Stage, target: Path, arguments: dict[str, str], root: Path = ROOT) -> None:
    """Copy what a stage's COPY lines take from the build context to the same paths below ``target``."""
    files = context_files(root)
    for copy in stage.copies:
        for source in (_fill_in(one, arguments) for one in copy.sources):
            folder = PurePosixPath(stage.folder, copy.target)
            chosen = [file for file in files if file == source or file.startswith(f"{source}/")]
            assert chosen, f"COPY {source}: nothing of it is in the build context"
            for file in chosen:
                into = (
                    folder / PurePosixPath(file).relative_to(source)
                    if file != source
                    else _file_target(folder, copy, file)
                )
                place = target / str(into).lstrip("/")
                place.parent.mkdir(parents=True, exist_ok=True)
                shutil.copyfile(root / file, place)


def _file_target(folder: PurePosixPath, copy: Copy, file: str) -> PurePosixPath:
    return folder / PurePosixPath(file).name if copy.target.endswith("/") or copy.target == "." else folder


def _fill_in(text: str, arguments: dict[str, str]) -> str:
    return re.sub(r"\$\{(\w+)\}", lambda match: arguments[match[1]], text)


def _read_copy(stage: Stage, rest: str) -> None:
    words = rest.split()
    if words[0].startswith("--from="):
        stage.from_stages.append(words[0].removeprefix("--from="))
    else:
        stage.copies.append(Copy(tuple(words[:-1]), words[-1]))


def _logical_lines(text: str) -> list[str]:
    kept = "\n".join(line for line in text.splitlines() if not line.lstrip().startswith("#"))
    return [line.strip() for line in kept.replace("\\\n", " ").splitlines() if line.strip()]


def _is_ignored(file: str, rules: list[str]) -> bool:
    """Whether the last rule that matches a file, or a folder above it, leaves it out."""
    paths = [str(path) for path in (PurePosixPath(file), *PurePosixPath(file).parents) if str(path) != "."]
    is_ignored = False
    for rule in rules:
        pattern = re.compile(translate(rule.removeprefix("!").removeprefix("**/")))
        anywhere = rule.startswith("**/")
        names = [PurePosixPath(path).name for path in paths] if anywhere else paths
        if any(pattern.match(name) for name in names):
            is_ignored = not rule.startswith("!")
    return is_ignored
