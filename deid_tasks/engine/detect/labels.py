"""The labels of a token-classification model, and the entities that they stand for."""

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from deid_tasks.core.entities import Entity
from deid_tasks.core.errors import ModelError
from deid_tasks.engine.detect.model_files import CONFIG

OUTSIDE = "O"
_KNOWN: dict[str, Entity | None] = {
    **{entity.value: entity for entity in Entity},
    **dict.fromkeys(("PER", "PERSON", "NAME", "PATIENTNAME"), Entity.PATIENT),
    **dict.fromkeys(("DOCTOR", "STAFF", "HCW", "PHYSICIAN", "CLINICIAN"), Entity.PROVIDER),
    **dict.fromkeys(("FAMILY", "FAMILYMEMBER"), Entity.RELATIVE),
    **dict.fromkeys(("LOC", "LOCATION", "GPE", "LOCATIONOTHER", "FAC"), Entity.LOCATION_OTHER),
    **dict.fromkeys(("HOSPITAL", "HOSP", "PATORG", "CLINIC"), Entity.FACILITY),
    **dict.fromkeys(("ORG", "OTHERORG", "VENDOR", "COMPANY"), Entity.ORGANIZATION),
    **dict.fromkeys(("ADDRESS", "STREETADDRESS"), Entity.STREET),
    **dict.fromkeys(("ZIPCODE", "POSTCODE"), Entity.ZIP),
    **dict.fromkeys(("DOB", "DATETIME"), Entity.DATE),
    **dict.fromkeys(("TEL", "TELEPHONE", "PHONENUMBER", "CONTACT"), Entity.PHONE),
    **dict.fromkeys(("MEDICALRECORD", "MEDICALRECORDNUMBER"), Entity.MRN),
    **dict.fromkeys(("HEALTHPLANID",), Entity.HEALTH_PLAN),
    **dict.fromkeys(("IDNUM", "ID", "OTHERID"), Entity.OTHER_ID),
    **dict.fromkeys(("BIOID",), Entity.BIOMETRIC),
    **dict.fromkeys(("OCCUPATION", "JOB"), Entity.PROFESSION),
    **dict.fromkeys(("USER", "LOGIN"), Entity.USERNAME),
    **dict.fromkeys(("MAIL", "EMAILADDRESS"), Entity.EMAIL),
    **dict.fromkeys(("IPADDRESS", "IPADDR"), Entity.IP),
    "MISC": None,
}
"""Label names of public corpora and models (CoNLL, i2b2, PhysioNet), in capitals and without separators."""


@dataclass(frozen=True, slots=True)
class Label:
    """One output of a model. ``entity`` is ``None`` for *outside* and for a label that is not one of our entities."""

    entity: Entity | None
    is_begin: bool = False
    is_outside: bool = False


def read_labels(folder: Path, config: dict[str, Any], mapped: Mapping[str, str | None]) -> tuple[Label, ...]:
    """Return the labels of ``config["id2label"]`` in the order of their ids.

    Args:
        folder: the model's folder, named in errors.
        config: content of ``config.json``.
        mapped: entity by label name, without its IOB prefix; ``None`` for a label to ignore. It overrides the built-in
            names.

    Raises:
        ModelError: the configuration has no labels, or one whose entity is not known.
    """
    names = config.get("id2label")
    if not isinstance(names, dict) or not names:
        raise ModelError(f"{folder}: {CONFIG} has no id2label")
    try:
        return tuple(_label(str(names[key]), mapped) for key in sorted(names, key=int))
    except ModelError as error:
        raise ModelError(f"{folder}: {CONFIG} (palimpsest.labels): {error}") from None
    except (KeyError, ValueError) as error:
        raise ModelError(
            f"{folder}: label {error.args[0]!r} is not known; map it to an entity in {CONFIG} (palimpsest.labels)"
        ) from None


def _label(name: str, mapped: Mapping[str, str | None]) -> Label:
    if name == OUTSIDE:
        return Label(None, is_outside=True)
    prefix, dash, rest = name.partition("-")
    has_prefix = bool(dash) and prefix in {"B", "I", "E", "S", "L", "U"}
    bare = rest if has_prefix else name
    if bare in mapped:
        own = mapped[bare]
        if own is not None and own not in Entity.__members__:
            raise ModelError(f"{bare!r} is mapped to {own!r}, which is not an entity")
        entity = None if own is None else Entity(own)
    else:
        key = bare.upper()
        entity = _KNOWN[key] if key in _KNOWN else _KNOWN[key.replace("_", "").replace("-", "").replace(" ", "")]
    return Label(entity, is_begin=has_prefix and prefix in {"B", "S", "U"})
