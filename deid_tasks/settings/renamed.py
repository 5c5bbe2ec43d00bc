"""Old spellings of renamed settings: accepted for one release, with a warning that names the new spelling."""

import warnings
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any


class RenamedSettingWarning(FutureWarning):
    """A settings file uses a spelling that the next release refuses."""


@dataclass(frozen=True)
class Renamed:
    """The spellings of one section that changed.

    Attributes:
        section: the section as a person finds it in the file, e.g. ``harvest`` or ``detect.transformers[]``.
        keys: new key by old key.
        values: by new key, new value by old value; for a list, of its items.
    """

    section: str
    keys: Mapping[str, str] = field(default_factory=dict)
    values: Mapping[str, Mapping[str, str]] = field(default_factory=dict)

    def apply(self, given: Mapping[str, Any], file: str | None = None) -> dict[str, Any]:
        """Return ``given`` in the new spelling, and warn for each old one.

        Args:
            given: the section as it was read.
            file: the file that holds it, for the warning.

        Raises:
            ValueError: the section has a key in both spellings.
        """
        current = dict(given)
        for old, new in self.keys.items():
            if old not in current:
                continue
            if new in current:
                raise ValueError(f"{old} is the old name of {new}: keep {new} and remove {old}")
            current[new] = current.pop(old)
            self._warn(file, f"{self.section}.{old} is now {self.section}.{new}")
        for key, changes in self.values.items():
            if key in current:
                current[key] = self._value(current[key], key, changes, file)
        return current

    def _value(self, value: Any, key: str, changes: Mapping[str, str], file: str | None) -> Any:
        if isinstance(value, list | tuple):
            return [self._value(item, key, changes, file) for item in value]
        if not isinstance(value, str) or value not in changes:
            return value
        self._warn(file, f"{self.section}.{key}: the value {value!r} is now {changes[value]!r}")
        return changes[value]

    @staticmethod
    def _warn(file: str | None, change: str) -> None:
        where = f"{file}: " if file else ""
        message = f"{where}{change}; the old spelling is read in this release and refused by the next"
        warnings.warn(message, RenamedSettingWarning, stacklevel=2)
