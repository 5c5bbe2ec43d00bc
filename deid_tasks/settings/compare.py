"""Settings of the comparison that follows an evaluation: other systems on the same gold notes."""

from pathlib import PurePosixPath

from pydantic import Field, field_validator, model_validator

from deid_tasks.settings.section import Section
from deid_tasks.settings.system_names import ENGINE_NAME, OWN_ADAPTER, SYSTEM_NAMES

_KNOWN = ", ".join(f"{one.name}:…" if one.has_argument else one.name for one in SYSTEM_NAMES.values())


class CompareSettings(Section):
    """Other de-identification systems that an evaluation runs on its gold notes, beside the engine."""

    systems: tuple[str, ...] = Field(
        default=(),
        max_length=10,
        description="Systems by the names of `deid compare --list`, such as presidio, spacy:FOLDER or adapter:FOLDER;"
        " none is run if empty.",
    )
    options: dict[str, dict[str, str | int | float | bool]] = Field(
        default_factory=dict, description="Options of a system by its name, such as `presidio: {min_score: 0}`."
    )
    allow_remote: bool = Field(
        default=False,
        description="Whether systems may be named that send text of notes beyond this host: llm, aws, azure, google.",
    )
    max_notes: int = Field(
        default=200,
        ge=1,
        description="Notes of each gold set that are read at most; of a larger set always the same ones, drawn at"
        " random.",
    )
    note_seconds: float = Field(
        default=30, gt=0, le=600, description="Seconds that a system may read one note, which then counts as missed."
    )
    system_minutes: float = Field(
        default=15,
        gt=0,
        le=90,
        description="Minutes that a system may read in one evaluation. One that needs more has no figures yet: its"
        " answers are kept, and the next evaluation continues from them.",
    )
    folder: str = Field(
        default="compare",
        pattern=r"^[A-Za-z0-9_-][A-Za-z0-9_.-]*(/[A-Za-z0-9_-][A-Za-z0-9_.-]*)*$",
        description="Folder of the systems' environments and answers, under the worker's local cache:"
        " `detect.cache.folder`, or `cache` in work_dir. The worker alone may read it.",
    )

    @field_validator("systems")
    @classmethod
    def _are_known(cls, value: tuple[str, ...]) -> tuple[str, ...]:
        own: set[str] = set()
        for system in value:
            name, _, argument = system.partition(":")
            known = SYSTEM_NAMES.get(name)
            if known is None:
                raise ValueError(f"{system!r} is not a known system; known are {_KNOWN}")
            if known.has_argument != bool(argument):
                raise ValueError(f"write {name}{':…' if known.has_argument else ''}, not {system}")
            if name == OWN_ADAPTER:
                own |= {_own_name(argument, own)}
        if len(set(value)) < len(value):
            raise ValueError("a system is named twice")
        return value

    @model_validator(mode="after")
    def _stay_on_this_host(self) -> "CompareSettings":
        sending = [one for one in self.systems if SYSTEM_NAMES[one.partition(":")[0]].sends_text]
        if sending and not self.allow_remote:
            raise ValueError(
                f"systems: {', '.join(sending)} may send text of notes beyond this host; remove it, or set"
                " compare.allow_remote: true"
            )
        return self

    @model_validator(mode="after")
    def _options_have_systems(self) -> "CompareSettings":
        unused = self.options.keys() - {option_name(one) for one in self.systems}
        if unused:
            raise ValueError(f"options.{min(unused)}: this system is not among compare.systems")
        return self


def option_name(system: str) -> str:
    """Return the name under which the options of a system are written: without its argument; of a person's own adapter
    that of its folder.
    """
    name, _, argument = system.partition(":")
    return PurePosixPath(argument).name if name == OWN_ADAPTER else name


def _own_name(folder: str, others: set[str]) -> str:
    path = PurePosixPath(folder)
    if not path.is_absolute() or ".." in path.parts:
        raise ValueError(f"{OWN_ADAPTER}:{folder}: give the whole path of the folder, which each worker must have")
    if path.name == ENGINE_NAME:
        raise ValueError(f"an adapter cannot be called {ENGINE_NAME!r}: that is this platform's; rename its folder")
    if path.name in others:
        raise ValueError(f"two adapters are both called {path.name!r}; rename a folder")
    return path.name
