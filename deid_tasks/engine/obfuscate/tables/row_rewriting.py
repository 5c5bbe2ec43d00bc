"""Rows of structured tables: the same surrogates, pseudonyms and shifted dates as in notes."""

import datetime
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from deid_tasks.core.entities import Entity
from deid_tasks.core.errors import InputError
from deid_tasks.core.patient import PatientRecord
from deid_tasks.engine.obfuscate.obfuscator import Obfuscator
from deid_tasks.engine.obfuscate.places import AddressParts
from deid_tasks.engine.obfuscate.tables.column_rules import ColumnRule, TableRules

_ENTITIES_BY_KIND = {entity.lower(): entity for entity in Entity}
"""The entities that the ``kind`` columns of the canonical tables name."""


def rewrite_row(
    row: Mapping[str, Any],
    rules: TableRules,
    obfuscator: Obfuscator,
    patient: PatientRecord | None,
    oldest_birth: datetime.date,
) -> dict[str, Any]:
    """Return ``row`` as it may be published, by published column name.

    Args:
        row: its values by column.
        rules: the rules of its table.
        obfuscator: the institution's.
        patient: whose row it is; ``None`` for rows of the institution itself.
        oldest_birth: an earlier birth date is withheld, because its owner is older than an age that may be published.

    Raises:
        InputError: the row names a kind that is not an entity.
    """
    rewriter = _RowRewriter(row, obfuscator, patient, oldest_birth, _address(row, rules))
    return {rule.published: rewriter.value(rule) for rule in rules.kept}


@dataclass(frozen=True, slots=True)
class _RowRewriter:
    """Rewrites the columns of one row."""

    row: Mapping[str, Any]
    obfuscator: Obfuscator
    patient: PatientRecord | None
    oldest_birth: datetime.date
    address: AddressParts

    def value(self, rule: ColumnRule) -> Any:
        """Return what is published of a column."""
        value = self.row[rule.column]
        if value is None or rule.action == "keep":
            return value
        if rule.action == "key":
            return self.obfuscator.pseudonym(rule.what, str(value))
        if rule.action == "birth_date" and self._is_too_old(value):
            return None
        if rule.action in {"shift", "birth_date"}:
            patient_id = self.patient.patient_id if self.patient else None
            return value + datetime.timedelta(days=self.obfuscator.shift_days(patient_id))
        address = self.address
        return self.obfuscator.value(
            str(value),
            self._entity(rule),
            self.patient,
            part=rule.part,
            city=address.city,
            state=address.state,
            zip_code=address.zip_code,
        )

    def _is_too_old(self, birth: datetime.date) -> bool:
        day = birth.date() if isinstance(birth, datetime.datetime) else birth
        return day < self.oldest_birth

    def _entity(self, rule: ColumnRule) -> Entity:
        if rule.action == "entity":
            return Entity(rule.what)
        entity = _ENTITIES_BY_KIND.get(str(self.row[rule.what] or "").lower())
        if entity is None:
            raise InputError(f"{rule.column}: column {rule.what} of a row names no entity; correct its kind in staging")
        return entity


def _address(row: Mapping[str, Any], rules: TableRules) -> AddressParts:
    """Return city, state and ZIP of the row; their surrogates must be one address too."""
    parts = {Entity.CITY: "", Entity.STATE: "", Entity.ZIP: ""}
    for rule in rules.columns:
        if rule.action == "entity" and (entity := Entity(rule.what)) in parts:
            parts[entity] = str(row[rule.column] or "")
    return AddressParts(parts[Entity.CITY], parts[Entity.STATE], parts[Entity.ZIP])
