"""Column rules: what happens to each column of a structured table. dbt's column meta declares them, in ``meta.deid``.

| ``meta.deid`` | the published column |
|---|---|
| ``keep`` | the value itself; allowed for texts that are marked ``phi: none`` or ``phi: quasi`` |
| ``drop`` | not published |
| ``key:KIND`` | ``KIND_key``, the pseudonym of a patient, author, facility, encounter or note |
| ``shift`` | the date, moved as the dates of the row's patient are |
| ``birth_date`` | the same, and empty for patients older than the highest age that may be published |
| ``entity:ENTITY`` | the surrogate of a value of one entity; ``entity:PATIENT.given`` for a column of given names |
| ``entity_of:COLUMN`` | the surrogate of a value whose entity another column names |
"""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Literal

from deid_tasks.core.entities import Category, Entity, category_of
from deid_tasks.core.errors import SettingsError
from deid_tasks.engine.obfuscate.generators import NamePart

Action = Literal["key", "entity", "entity_of", "shift", "birth_date", "keep", "drop"]

_ACTIONS_WITHOUT_OBJECT: dict[str, Action] = {
    "shift": "shift",
    "birth_date": "birth_date",
    "keep": "keep",
    "drop": "drop",
}
_KEY_KINDS = frozenset({"patient", "author", "facility", "encounter", "note"})
_DATA_TYPES = frozenset({"text", "date", "timestamp"})
_NAME_PARTS: dict[str, NamePart] = {"": "", "given": "given", "surname": "surname"}
PATIENT = "patient"


@dataclass(frozen=True, slots=True)
class ColumnRule:
    """What happens to one column."""

    column: str
    data_type: str
    """``text``, ``date`` or ``timestamp``."""
    action: Action
    what: str = ""
    """The kind of a key; the entity of ``entity``; the column that ``entity_of`` reads the entity from."""
    part: NamePart = ""
    """Which part of a name the column holds."""

    @property
    def published(self) -> str:
        """The column's name in the published table."""
        return f"{self.what}_key" if self.action == "key" else self.column


@dataclass(frozen=True, slots=True)
class TableRules:
    """A staging model that may be published, and what happens to each of its columns."""

    model: str
    name: str
    columns: tuple[ColumnRule, ...]

    @property
    def owner(self) -> str | None:
        """The column that names the patient of a row; ``None`` where rows belong to no patient."""
        return next((r.column for r in self.columns if r.action == "key" and r.what == PATIENT), None)

    @property
    def kept(self) -> tuple[ColumnRule, ...]:
        """The columns that are published, in order."""
        return tuple(rule for rule in self.columns if rule.action != "drop")


def table_rules(model: str, name: str, columns: Mapping[str, Mapping[str, Any]]) -> TableRules:
    """Return the checked rules of one model.

    Args:
        model: its name in the warehouse.
        name: the published table's name.
        columns: ``data_type``, ``phi`` and ``deid`` of each column.

    Raises:
        SettingsError: a column has no rule, or one that it cannot have; the text names it.
    """
    rules = TableRules(model, name, tuple(_read_rule(model, column, meta) for column, meta in columns.items()))
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


def _read_rule(model: str, column: str, meta: Mapping[str, Any]) -> ColumnRule:
    where, text, data_type = f"{model}.{column}", str(meta.get("deid") or ""), str(meta.get("data_type") or "")
    if not text:
        raise SettingsError(f"{where}: no meta.deid says what happens to the column, so {model} is not published")
    if data_type not in _DATA_TYPES:
        raise SettingsError(f"{where}: data_type is one of {', '.join(sorted(_DATA_TYPES))}, not {data_type!r}")
    rule = _parse_rule(where, column, data_type, text)
    if rule is None:
        raise SettingsError(f"{where}: meta.deid {text!r} is none of the rules that models.yml explains")
    _check_type(where, rule, text, meta.get("phi"))
    return rule


def _parse_rule(where: str, column: str, data_type: str, text: str) -> ColumnRule | None:
    """Return the rule that ``meta.deid`` states; ``None`` where it states none."""
    if text in _ACTIONS_WITHOUT_OBJECT:
        return ColumnRule(column, data_type, _ACTIONS_WITHOUT_OBJECT[text])
    verb, _, what = text.partition(":")
    if verb == "key" and what in _KEY_KINDS:
        return ColumnRule(column, data_type, "key", what)
    if verb == "entity_of" and what:
        return ColumnRule(column, data_type, "entity_of", what)
    entity, _, part = what.partition(".")
    if verb != "entity" or entity not in Entity.__members__ or part not in _NAME_PARTS:
        return None
    if part and category_of(Entity(entity)) is not Category.NAME:
        raise SettingsError(f"{where}: {entity} has no {part} part")
    return ColumnRule(column, data_type, "entity", entity, _NAME_PARTS[part])


def _check_type(where: str, rule: ColumnRule, text: str, phi: object) -> None:
    """Raise ``SettingsError`` where a rule does not suit the column's type or its mark ``phi``."""
    is_text = rule.data_type == "text"
    if rule.action in {"shift", "birth_date"} and is_text:
        raise SettingsError(f"{where}: a text cannot be shifted; use entity:DATE")
    if rule.action in {"key", "entity", "entity_of"} and not is_text:
        raise SettingsError(f"{where}: {text} is for texts, not for a {rule.data_type}")
    if rule.action == "keep" and (phi not in {"none", "quasi"} or not is_text):
        raise SettingsError(f"{where}: may not be kept: it is marked phi: {phi}, or is a date")
