"""Which column of a structured table is what: the rules that dbt's column meta declares, in ``meta.deid``."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Literal

from deid_tasks.core.entities import Category, Entity, category_of
from deid_tasks.core.errors import SettingsError

Action = Literal["key", "entity", "entity_of", "shift", "birth_date", "keep", "drop"]
Part = Literal["given", "surname", ""]

_PLAIN: dict[str, Action] = {"shift": "shift", "birth_date": "birth_date", "keep": "keep", "drop": "drop"}
_KEYS = frozenset({"patient", "author", "facility", "encounter", "note"})
_TYPES = {"text", "date", "timestamp"}
PATIENT = "patient"


@dataclass(frozen=True, slots=True)
class ColumnRule:
    """What becomes of one column."""

    column: str
    data_type: str
    """``text``, ``date`` or ``timestamp``."""
    action: Action
    what: str = ""
    """Of a key its kind, of ``entity`` the entity, of ``entity_of`` the column that names it."""
    part: Part = ""
    """Which part of a name the column holds."""

    @property
    def published(self) -> str:
        """The column's name in the published table."""
        return f"{self.what}_key" if self.action == "key" else self.column


@dataclass(frozen=True, slots=True)
class TableRules:
    """A staging model that may be published, and what becomes of each of its columns."""

    model: str
    name: str
    columns: tuple[ColumnRule, ...]

    @property
    def owner(self) -> str | None:
        """The column that says whose row it is; ``None`` where rows belong to no patient."""
        return next((r.column for r in self.columns if r.action == "key" and r.what == PATIENT), None)

    @property
    def kept(self) -> tuple[ColumnRule, ...]:
        """The columns that are published, in order."""
        return tuple(rule for rule in self.columns if rule.action != "drop")


def table_rules(model: str, name: str, columns: Mapping[str, Mapping[str, Any]]) -> TableRules:
    """The rules of one model, checked.

    Args:
        model: its name in the warehouse.
        name: the published table's.
        columns: of each column ``data_type``, ``phi`` and ``deid``.

    Raises:
        SettingsError: a column has no rule or one that cannot be; the text names it.
    """
    rules = TableRules(model, name, tuple(_rule(model, column, said) for column, said in columns.items()))
    for rule in rules.columns:
        where = f"{model}.{rule.column}"
        if rule.action in {"shift", "birth_date"} and rules.owner is None:
            raise SettingsError(f"{where}: dates move with a patient, and no column of {model} is key:patient")
        if rule.action == "entity_of" and rule.what not in columns:
            raise SettingsError(f"{where}: {model} has no column {rule.what!r}")
    names = [rule.published for rule in rules.kept]
    if doubles := sorted({name for name in names if names.count(name) > 1}):
        raise SettingsError(f"{model}: two columns would be published as {', '.join(doubles)}")
    return rules


def _rule(model: str, column: str, said: Mapping[str, Any]) -> ColumnRule:
    where, text, kind = f"{model}.{column}", str(said.get("deid") or ""), str(said.get("data_type") or "")
    if not text:
        raise SettingsError(f"{where}: no meta.deid says what becomes of it, so {model} is not published")
    if kind not in _TYPES:
        raise SettingsError(f"{where}: data_type is one of {', '.join(sorted(_TYPES))}, not {kind!r}")
    verb, _, what = text.partition(":")
    rule: ColumnRule | None = None
    if text in _PLAIN:
        rule = ColumnRule(column, kind, _PLAIN[text])
    elif verb == "key" and what in _KEYS:
        rule = ColumnRule(column, kind, "key", what)
    elif verb == "entity_of" and what:
        rule = ColumnRule(column, kind, "entity_of", what)
    elif verb == "entity":
        entity, _, part = what.partition(".")
        if entity in Entity.__members__ and part in {"", "given", "surname"}:
            if part and category_of(Entity(entity)) is not Category.NAME:
                raise SettingsError(f"{where}: {entity} has no {part} part")
            rule = ColumnRule(column, kind, "entity", entity, part)  # type: ignore[arg-type]
    if rule is None:
        raise SettingsError(f"{where}: meta.deid {text!r} is none of the rules that models.yml explains")
    if rule.action in {"shift", "birth_date"} and kind == "text":
        raise SettingsError(f"{where}: a text cannot be shifted; entity:DATE can")
    if rule.action in {"key", "entity", "entity_of"} and kind != "text":
        raise SettingsError(f"{where}: {text} is for texts, not for a {kind}")
    if rule.action == "keep" and (said.get("phi") not in {"none", "quasi"} or kind != "text"):
        raise SettingsError(f"{where}: may not be kept: it is marked phi: {said.get('phi')}, or is a date")
    return rule
