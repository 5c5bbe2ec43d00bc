"""The systems that can be compared, and how a person names them on the command line."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from types import MappingProxyType

from deid_tasks.core.errors import InputError

SYSTEMS_FOLDER = Path(__file__).parent / "systems"


@dataclass(frozen=True)
class SystemDefinition:
    """A system that can be compared."""

    name: str
    title: str
    about: str
    """One sentence: what runs, and with which configuration."""
    folder: Path
    """Holds ``adapter.py``, ``labels.json`` and, for an environment of its own, ``requirements.txt``."""
    runs_here: bool = False
    """Whether it runs with this Python and its packages."""
    needs: tuple[str, ...] = ()
    """If these packages can be imported here, this Python runs the system, although it has requirements."""
    argument: str = ""
    """The option that ``NAME:ARGUMENT`` sets; the argument is then required."""
    is_untyped: bool = False
    """Whether its labels do not say what kind of identifier a span is."""
    environment: tuple[str, ...] = ()
    """Environment variables that it needs beside the common ones."""
    missing: str = ""
    """Why it cannot be installed, for a system that is listed without an adapter; empty for all others."""


@dataclass(frozen=True)
class SystemChoice:
    """A system as a person asked for it."""

    definition: SystemDefinition
    key: str
    """What the person wrote: the name, or ``NAME:ARGUMENT``."""
    options: Mapping[str, str] = field(default_factory=dict)

    @property
    def title(self) -> str:
        """The title, with the last part of the argument."""
        argument = self.key.partition(":")[2]
        return f"{self.definition.title}: {Path(argument).name}" if argument else self.definition.title


def _definition(name: str, title: str, about: str, folder: str = "", **more: object) -> SystemDefinition:
    return SystemDefinition(name, title, about, SYSTEMS_FOLDER / (folder or name), **more)  # type: ignore[arg-type]


OWN = "adapter"
"""``adapter:FOLDER`` is a person's own system."""
OURS = "palimpsest"
"""The system that the others are compared with."""
KNOWN_SYSTEMS: Mapping[str, SystemDefinition] = MappingProxyType(
    {
        one.name: one
        for one in (
            _definition(
                OURS,
                "Palimpsest",
                "This platform's engine with the models and lists that it ships; without an institution's dictionaries"
                " and patient records.",
                runs_here=True,
            ),
            _definition(
                "presidio",
                "Presidio",
                "Microsoft Presidio 2.2 with its own configuration, spaCy's small English model, and scores from 0.35.",
            ),
            _definition(
                "philter",
                "Philter",
                "philter-lite 0.6 with the configuration philter_delta; hides every word that it does not know to be"
                " safe.",
                is_untyped=True,
            ),
            _definition(
                "openmed",
                "OpenMed (rules)",
                "The clinical rules and the safety sweep of OpenMed 3.1, without its models.",
            ),
            _definition(
                "scrubadub",
                "scrubadub",
                "scrubadub 2.0 with its default detectors, none of which finds names or dates.",
            ),
            _definition(
                "hf",
                "Token classifier",
                "A token classifier of the Hugging Face format, in overlapping windows: hf:FOLDER or hf:NAME.",
                "huggingface",
                argument="model",
                needs=("torch", "transformers"),
                environment=("HF_HOME", "HF_HUB_OFFLINE", "TRANSFORMERS_OFFLINE"),
            ),
            _definition(
                "spacy",
                "spaCy pipeline",
                "The entities of a spaCy pipeline: spacy:NAME or spacy:FOLDER.",
                argument="model",
            ),
            _definition(
                "physionet",
                "PhysioNet deid",
                "deid.pl from your own copy: physionet:FOLDER.",
                runs_here=True,
                argument="path",
                is_untyped=True,
            ),
            _definition(
                "pydeid",
                "pyDeid",
                "The package index holds an empty package of another project under this name.",
                missing="the package index has no release of it: its pydeid 0.0.1 is an empty package of another"
                " project",
            ),
        )
    }
)


def parse_systems(names: Iterable[str], options: Iterable[str] = ()) -> list[SystemChoice]:
    """Return the systems that a person asked for, each once, in their order.

    Args:
        names: ``NAME``, ``NAME:ARGUMENT``, or ``adapter:FOLDER`` for a person's own.
        options: ``NAME.KEY=VALUE``; the name is that of a system without its argument.

    Raises:
        InputError: A system is not known, lacks its argument, or an option is not of this form.
    """
    by_name = _parse_options(options)
    chosen: dict[str, SystemChoice] = {}
    for key in names:
        name, _, argument = key.partition(":")
        definition = _own_adapter(Path(argument)) if name == OWN and argument else KNOWN_SYSTEMS.get(name)
        if definition is None:
            known = ", ".join((*KNOWN_SYSTEMS, f"{OWN}:FOLDER"))
            raise InputError(f"--systems: {name!r} is not a known system; known are {known}")
        if name == OWN:
            chosen[key] = SystemChoice(definition, definition.name, by_name.get(definition.name, {}))
            continue
        if bool(definition.argument) != bool(argument):
            form = f"{name}:{definition.argument.upper()}" if definition.argument else name
            raise InputError(f"--systems: write {form}, not {key!r}")
        given = {definition.argument: argument} if argument else {}
        chosen[key] = SystemChoice(definition, key, {**by_name.get(name, {}), **given})
    unused = by_name.keys() - {choice.definition.name for choice in chosen.values()}
    if unused:
        raise InputError(f"--option: {min(unused)!r} is not among the systems of this comparison")
    return list(chosen.values())


def _own_adapter(folder: Path) -> SystemDefinition:
    """Return the system of a person's own adapter: ``adapter.py``, ``labels.json``, and ``requirements.txt`` if it
    needs an environment of its own.
    """
    for name in ("adapter.py", "labels.json"):
        if not (folder / name).is_file():
            raise InputError(f"{folder / name}: no such file; an adapter's folder holds adapter.py and labels.json")
    name = folder.resolve().name
    is_here = not (folder / "requirements.txt").exists()
    return SystemDefinition(name, name, f"The adapter {name}.", folder.resolve(), runs_here=is_here)


def _parse_options(options: Iterable[str]) -> dict[str, dict[str, str]]:
    by_name: dict[str, dict[str, str]] = {}
    for option in options:
        target, equals, value = option.partition("=")
        name, dot, key = target.partition(".")
        if not (equals and dot and name and key):
            raise InputError(f"--option: {option!r} is not of the form SYSTEM.KEY=VALUE")
        by_name.setdefault(name, {})[key] = value
    return by_name
