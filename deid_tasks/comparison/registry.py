"""The systems that can be compared, and how a person names them on the command line."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from types import MappingProxyType

from deid_tasks.core.errors import InputError
from deid_tasks.settings.system_names import OWN_ADAPTER

SYSTEMS_FOLDER = Path(__file__).parent / "systems"
_PROXY = ("HTTPS_PROXY", "SSL_CERT_FILE")


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
    sees_note_ids: bool = False
    """Whether it is told the ids of notes, to look them up; the others get numbers."""
    missing: str = ""
    """Why it cannot be installed, for a system that is listed without an adapter; empty for all others."""


@dataclass(frozen=True)
class SystemChoice:
    """A system as a person asked for it."""

    definition: SystemDefinition
    key: str
    """What the person wrote: the name, or ``NAME:ARGUMENT``."""
    options: Mapping[str, str] = field(default_factory=dict)
    variables: tuple[str, ...] = ()
    """Environment variables that the person lets it read, such as an API key."""

    @property
    def title(self) -> str:
        """The title, with the last part of the argument."""
        argument = self.key.partition(":")[2]
        return f"{self.definition.title}: {Path(argument).name}" if argument else self.definition.title


def _definition(name: str, title: str, about: str, folder: str = "", **more: object) -> SystemDefinition:
    return SystemDefinition(name, title, about, SYSTEMS_FOLDER / (folder or name), **more)  # type: ignore[arg-type]


def _definitions_beyond_this_host() -> list[SystemDefinition]:
    """Return language models, cloud services and outputs of tools that ran elsewhere."""
    return [
        _definition(
            "llm",
            "Language model",
            "A model behind an endpoint that speaks OpenAI's chat completions, with the settings of a YAML file:"
            " llm:FILE.",
            runs_here=True,
            argument="settings",
            environment=("DEID_LLM_API_KEY", "DEID_LLM_CACHE_KEY", *_PROXY),
        ),
        _definition(
            "aws",
            "Comprehend Medical",
            "AWS Comprehend Medical DetectPHI; notes leave this host.",
            runs_here=True,
            environment=(
                *("AWS_ACCESS_KEY_ID", "AWS_SECRET_ACCESS_KEY", "AWS_SESSION_TOKEN", "AWS_PROFILE", "AWS_CA_BUNDLE"),
                *("AWS_CONFIG_FILE", "AWS_SHARED_CREDENTIALS_FILE", "HTTPS_PROXY"),
            ),
        ),
        _definition(
            "azure",
            "Azure AI Language",
            "Azure AI Language, detection of PII; notes leave this host.",
            runs_here=True,
            environment=("AZURE_LANGUAGE_KEY", *_PROXY),
        ),
        _definition(
            "google",
            "Sensitive Data Protection",
            "Google Cloud's inspection; notes leave this host.",
            runs_here=True,
            environment=("GOOGLE_ACCESS_TOKEN", *_PROXY),
        ),
        _definition(
            "files",
            "Outputs in files",
            "What another tool wrote about the same notes: files:FORMAT:FOLDER, of the formats mist, brat, scrubber and"
            " physionet.",
            runs_here=True,
            argument="source",
            sees_note_ids=True,
        ),
    ]


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
            *_definitions_beyond_this_host(),
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


def parse_systems(
    names: Iterable[str], options: Iterable[str] = (), variables: Iterable[str] = ()
) -> list[SystemChoice]:
    """Return the systems that a person asked for, each once, in their order.

    Args:
        names: ``NAME``, ``NAME:ARGUMENT``, or ``adapter:FOLDER`` for a person's own.
        options: ``NAME.KEY=VALUE``; the name is that of a system without its argument.
        variables: ``NAME.VARIABLE``: an environment variable that a system may read.

    Raises:
        InputError: A system is not known, lacks its argument, or an option is not of this form.
    """
    by_name, read_by = _parse_options(options), _parse_variables(variables)
    chosen: dict[str, SystemChoice] = {}
    for key in names:
        name, _, argument = key.partition(":")
        definition = _definition_of(name, argument)
        name = definition.name
        given = {definition.argument: argument} if definition.argument else {}
        shown = name if definition.name not in KNOWN_SYSTEMS else key
        chosen[key] = SystemChoice(definition, shown, {**by_name.get(name, {}), **given}, tuple(read_by.get(name, ())))
    unused = (by_name.keys() | read_by.keys()) - {choice.definition.name for choice in chosen.values()}
    if unused:
        raise InputError(f"--option, --variable: {min(unused)!r} is not among the systems of this comparison")
    return list(chosen.values())


def _definition_of(name: str, argument: str) -> SystemDefinition:
    if name == OWN_ADAPTER and argument:
        return _own_adapter(Path(argument))
    definition = KNOWN_SYSTEMS.get(name)
    if definition is None:
        known = ", ".join((*KNOWN_SYSTEMS, f"{OWN_ADAPTER}:FOLDER"))
        raise InputError(f"--systems: {name!r} is not a known system; known are {known}")
    if bool(definition.argument) != bool(argument):
        form = f"{name}:{definition.argument.upper()}" if definition.argument else name
        raise InputError(f"--systems: write {form}, not {name}{':' if argument else ''}{argument}")
    if definition.argument == "model" and _is_path(argument) and not Path(argument).is_dir():
        raise InputError(f"--systems: {name}:{argument}: no such folder")
    return definition


def _is_path(model: str) -> bool:
    """Whether a model is written as a path (``/a``, ``./a``, ``a/b/c``), and not as a name (``owner/name``)."""
    return model.startswith(("/", ".", "~")) or model.count("/") > 1


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


def _parse_variables(variables: Iterable[str]) -> dict[str, list[str]]:
    read_by: dict[str, list[str]] = {}
    for variable in variables:
        name, dot, key = variable.partition(".")
        if not (dot and name and key.isidentifier()):
            raise InputError(f"--variable: {variable!r} is not of the form SYSTEM.NAME")
        read_by.setdefault(name, []).append(key)
    return read_by
