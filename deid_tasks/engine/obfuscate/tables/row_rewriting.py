"""Rows of structured tables: the same surrogates, pseudonyms and shifted dates as in notes."""

import datetime
from collections.abc import Mapping
from typing import Any

from deid_tasks.core.entities import Entity
from deid_tasks.core.errors import InputError
from deid_tasks.core.patient import PatientRecord
from deid_tasks.engine.obfuscate.obfuscator import Obfuscator
from deid_tasks.engine.obfuscate.tables.column_rules import ColumnRule, TableRules

_KINDS = {kind.lower(): kind for kind in Entity}
"""What the ``kind`` columns of the canonical tables name."""


def rewrite_row(
    row: Mapping[str, Any],
    rules: TableRules,
    obfuscator: Obfuscator,
    patient: PatientRecord | None,
    oldest_birth: datetime.date,
) -> dict[str, Any]:
    """``row`` as it may be published, by published column name.

    Args:
        row: its values by column.
        rules: of its table.
        obfuscator: of the institution.
        patient: whose row it is; ``None`` for rows of the institution itself.
        oldest_birth: who was born before is older than an age that may be told.

    Raises:
        InputError: the row names a kind that is no entity.
    """
    beside = _address(row, rules)
    return {rule.published: _value(row, rule, obfuscator, patient, oldest_birth, beside) for rule in rules.kept}


def _value(
    row: Mapping[str, Any],
    rule: ColumnRule,
    obfuscator: Obfuscator,
    patient: PatientRecord | None,
    oldest_birth: datetime.date,
    beside: dict[str, str],
) -> Any:
    value = row[rule.column]
    if value is None or rule.action == "keep":
        return value
    patient_id = patient.patient_id if patient else None
    if rule.action == "key":
        return obfuscator.pseudonym(rule.what, str(value))
    if rule.action in {"shift", "birth_date"}:
        if (
            rule.action == "birth_date"
            and (value.date() if isinstance(value, datetime.datetime) else value) < oldest_birth
        ):
            return None
        return value + datetime.timedelta(days=obfuscator.shift_days(patient_id))
    entity = Entity(rule.what) if rule.action == "entity" else _KINDS.get(str(row[rule.what] or "").lower())
    if entity is None:
        raise InputError(f"{rule.column}: column {rule.what} of a row names no entity")
    return obfuscator.value(str(value), entity, patient, part=rule.part, **beside)


def _address(row: Mapping[str, Any], rules: TableRules) -> dict[str, str]:
    """Town, state and ZIP of the row: one place, whose surrogates must be one place too."""
    names = {Entity.CITY: "city", Entity.STATE: "state", Entity.ZIP: "zip_code"}
    return {
        names[Entity(rule.what)]: str(row[rule.column] or "")
        for rule in rules.columns
        if rule.action == "entity" and Entity(rule.what) in names
    }
