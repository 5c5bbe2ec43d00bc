"""The labels of other corpora as our entities, and our entities as their labels.

If a scheme is coarser than ours, a label is read as the most frequent entity that it covers, and an entity is written
as the label that covers it. Sources: the i2b2 2006 and 2014 annotation guidelines, the files of the corpora, and the
harmonization of Lin 2020 (table 3.1); the model cards of John Snow Labs.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field
from difflib import get_close_matches
from types import MappingProxyType

from deid_tasks.core.entities import Entity
from deid_tasks.core.errors import InputError

E = Entity


@dataclass(frozen=True)
class Scheme:
    """The labels of one corpus."""

    name: str
    entities: Mapping[str, Entity | None]
    """Our entity by label; ``None`` for a label of text that is not an identifier."""
    labels: Mapping[Entity, str | None]
    """The label by entity; ``None`` for an entity that the corpus does not mark."""


def _scheme(name: str, entities: dict[str, Entity | None], broader: dict[Entity, str]) -> Scheme:
    """Build a scheme; ``broader`` names the label of each entity that has no label of its own."""
    labels: dict[Entity, str | None] = dict.fromkeys(Entity)
    for label, entity in entities.items():
        if entity and not labels[entity]:
            labels[entity] = label
    return Scheme(name, MappingProxyType(entities), MappingProxyType({**labels, **broader}))


OURS = _scheme("ours", {str(entity): entity for entity in Entity}, {})

I2B2_2014 = _scheme(
    "i2b2-2014",
    {
        "PATIENT": E.PATIENT,
        "DOCTOR": E.PROVIDER,
        "USERNAME": E.USERNAME,
        "PROFESSION": E.PROFESSION,
        "HOSPITAL": E.FACILITY,
        "ORGANIZATION": E.ORGANIZATION,
        "STREET": E.STREET,
        "CITY": E.CITY,
        "STATE": E.STATE,
        "COUNTRY": E.COUNTRY,
        "ZIP": E.ZIP,
        "LOCATION-OTHER": E.LOCATION_OTHER,
        "OTHER": E.LOCATION_OTHER,
        "ROOM": E.LOCATION_OTHER,
        "DEPARTMENT": E.FACILITY,
        "AGE": E.AGE,
        "DATE": E.DATE,
        "PHONE": E.PHONE,
        "FAX": E.FAX,
        "EMAIL": E.EMAIL,
        "URL": E.URL,
        "IPADDR": E.IP,
        "IPADDRESS": E.IP,
        "SSN": E.SSN,
        "MEDICALRECORD": E.MRN,
        "HEALTHPLAN": E.HEALTH_PLAN,
        "ACCOUNT": E.ACCOUNT,
        "LICENSE": E.LICENSE,
        "VEHICLE": E.VEHICLE,
        "DEVICE": E.DEVICE,
        "BIOID": E.BIOMETRIC,
        "IDNUM": E.OTHER_ID,
    },
    # The guideline marks relatives as patients, and initials as the name they stand for; it does not mark times of day.
    {E.RELATIVE: "PATIENT", E.INITIALS: "DOCTOR", E.PAGER: "PHONE"},
)
I2B2_2014_TAGS = {
    "NAME": ("PATIENT", "DOCTOR", "USERNAME"),
    "PROFESSION": ("PROFESSION",),
    "LOCATION": (
        *("HOSPITAL", "ORGANIZATION", "STREET", "CITY", "STATE", "COUNTRY", "ZIP"),
        *("LOCATION-OTHER", "OTHER", "ROOM", "DEPARTMENT"),
    ),
    "AGE": ("AGE",),
    "DATE": ("DATE",),
    "CONTACT": ("PHONE", "FAX", "EMAIL", "URL", "IPADDR", "IPADDRESS"),
    "ID": (*("SSN", "MEDICALRECORD", "HEALTHPLAN", "ACCOUNT", "LICENSE", "VEHICLE", "DEVICE", "BIOID", "IDNUM"),),
}
"""The types by the XML element that they are written as, which is the category of the scheme."""

I2B2_2006 = _scheme(
    "i2b2-2006",
    {
        "PATIENT": E.PATIENT,
        "DOCTOR": E.PROVIDER,
        "HOSPITAL": E.FACILITY,
        "LOCATION": E.LOCATION_OTHER,
        "DATE": E.DATE,
        "AGE": E.AGE,
        "PHONE": E.PHONE,
        "ID": E.OTHER_ID,
    },
    {
        E.RELATIVE: "PATIENT",
        E.INITIALS: "DOCTOR",
        E.FAX: "PHONE",
        E.PAGER: "PHONE",
        **dict.fromkeys((E.STREET, E.CITY, E.STATE, E.COUNTRY, E.ZIP), "LOCATION"),
        **dict.fromkeys(
            (E.SSN, E.MRN, E.HEALTH_PLAN, E.ACCOUNT, E.LICENSE, E.VEHICLE, E.DEVICE, E.BIOMETRIC, E.USERNAME), "ID"
        ),
    },
)

PHYSIONET = _scheme(
    "physionet",
    {
        "PTName": E.PATIENT,
        "PTNameInitial": E.INITIALS,
        "HCPName": E.PROVIDER,
        "RelativeProxyName": E.RELATIVE,
        "Location": E.LOCATION_OTHER,
        "Date": E.DATE,
        "DateYear": E.DATE,
        "Phone": E.PHONE,
        "Age": E.AGE,
        "Other": E.OTHER_ID,
    },
    {
        E.USERNAME: "HCPName",
        E.FAX: "Phone",
        E.PAGER: "Phone",
        **dict.fromkeys((E.STREET, E.CITY, E.STATE, E.COUNTRY, E.ZIP, E.FACILITY, E.ORGANIZATION), "Location"),
        **dict.fromkeys(
            (
                *(E.SSN, E.MRN, E.HEALTH_PLAN, E.ACCOUNT, E.LICENSE, E.VEHICLE, E.DEVICE, E.BIOMETRIC),
                *(E.EMAIL, E.URL, E.IP),
            ),
            "Other",
        ),
    },
)

DERNONCOURT_LEE = _scheme(
    "dernoncourt-lee",
    {
        "PATIENT": E.PATIENT,
        "DOCTOR": E.PROVIDER,
        "HOSPITAL": E.FACILITY,
        "STREET": E.STREET,
        "STATE": E.STATE,
        "COUNTRY": E.COUNTRY,
        "ZIP": E.ZIP,
        "LOCATION-OTHER": E.LOCATION_OTHER,
        "LOCATION": E.LOCATION_OTHER,
        "AGE": E.AGE,
        "DATE": E.DATE,
        "PHONE": E.PHONE,
        "IDNUM": E.OTHER_ID,
    },
    {
        E.RELATIVE: "PATIENT",
        E.INITIALS: "DOCTOR",
        E.CITY: "LOCATION-OTHER",
        E.FAX: "PHONE",
        E.PAGER: "PHONE",
        **dict.fromkeys((E.SSN, E.MRN, E.HEALTH_PLAN, E.ACCOUNT, E.LICENSE, E.VEHICLE, E.DEVICE, E.BIOMETRIC), "IDNUM"),
    },
)

_JSL_CONTACTS = (E.PHONE, E.FAX, E.PAGER, E.EMAIL, E.URL, E.IP)
_JSL_NUMBERS = (E.SSN, E.MRN, E.HEALTH_PLAN, E.ACCOUNT, E.LICENSE, E.VEHICLE, E.DEVICE, E.BIOMETRIC, E.OTHER_ID)
_JSL_PLACES = (E.STREET, E.CITY, E.STATE, E.COUNTRY, E.ZIP, E.LOCATION_OTHER)

# The seven classes of John Snow Labs' ner_deid_generic, by its model card; it has i2b2 2014's division into categories.
JSL_7 = _scheme(
    "jsl-7",
    {
        "NAME": E.PATIENT,
        "LOCATION": E.LOCATION_OTHER,
        "DATE": E.DATE,
        "AGE": E.AGE,
        "CONTACT": E.PHONE,
        "ID": E.OTHER_ID,
        "PROFESSION": E.PROFESSION,
    },
    {
        **dict.fromkeys((E.PROVIDER, E.RELATIVE, E.INITIALS, E.USERNAME), "NAME"),
        **dict.fromkeys((*_JSL_PLACES, E.FACILITY, E.ORGANIZATION), "LOCATION"),
        **dict.fromkeys(_JSL_CONTACTS, "CONTACT"),
        **dict.fromkeys(_JSL_NUMBERS, "ID"),
    },
)

# The thirteen classes of John Snow Labs' ner_deid_subentity, by the model card of its Spanish model. It has one class
# of numbers, MEDICALRECORD.
JSL_13 = _scheme(
    "jsl-13",
    {
        "PATIENT": E.PATIENT,
        "DOCTOR": E.PROVIDER,
        "USERNAME": E.USERNAME,
        "PROFESSION": E.PROFESSION,
        "HOSPITAL": E.FACILITY,
        "ORGANIZATION": E.ORGANIZATION,
        "LOCATION": E.LOCATION_OTHER,
        "ZIP": E.ZIP,
        "AGE": E.AGE,
        "DATE": E.DATE,
        "PHONE": E.PHONE,
        "E-MAIL": E.EMAIL,
        "MEDICALRECORD": E.MRN,
    },
    {
        E.RELATIVE: "PATIENT",
        E.INITIALS: "DOCTOR",
        E.FAX: "PHONE",
        E.PAGER: "PHONE",
        **dict.fromkeys((E.STREET, E.CITY, E.STATE, E.COUNTRY), "LOCATION"),
        **dict.fromkeys((E.URL, E.IP), "E-MAIL"),
        **dict.fromkeys(_JSL_NUMBERS, "MEDICALRECORD"),
    },
)

CONLL_2003 = _scheme(
    "conll-2003",
    {"PER": E.PATIENT, "LOC": E.LOCATION_OTHER, "ORG": E.ORGANIZATION, "MISC": None},
    {
        E.PROVIDER: "PER",
        E.RELATIVE: "PER",
        E.FACILITY: "ORG",
        **dict.fromkeys((E.CITY, E.STATE, E.COUNTRY, E.STREET), "LOC"),
    },
)

MEDDOCAN = _scheme(
    "meddocan",
    {
        "NOMBRE_SUJETO_ASISTENCIA": E.PATIENT,
        "NOMBRE_PERSONAL_SANITARIO": E.PROVIDER,
        "FAMILIARES_SUJETO_ASISTENCIA": E.RELATIVE,
        "PROFESION": E.PROFESSION,
        "CALLE": E.STREET,
        "TERRITORIO": E.CITY,
        "PAIS": E.COUNTRY,
        "HOSPITAL": E.FACILITY,
        "CENTRO_SALUD": E.FACILITY,
        "INSTITUCION": E.ORGANIZATION,
        "EDAD_SUJETO_ASISTENCIA": E.AGE,
        "SEXO_SUJETO_ASISTENCIA": None,
        "FECHAS": E.DATE,
        "NUMERO_TELEFONO": E.PHONE,
        "NUMERO_FAX": E.FAX,
        "CORREO_ELECTRONICO": E.EMAIL,
        "URL_WEB": E.URL,
        "DIREC_PROT_INTERNET": E.IP,
        "ID_SUJETO_ASISTENCIA": E.MRN,
        "ID_ASEGURAMIENTO": E.HEALTH_PLAN,
        "NUMERO_BENEF_PLAN_SALUD": E.HEALTH_PLAN,
        "ID_TITULACION_PERSONAL_SANITARIO": E.LICENSE,
        "IDENTIF_VEHICULOS_NRSERIE_PLACAS": E.VEHICLE,
        "IDENTIF_DISPOSITIVOS_NRSERIE": E.DEVICE,
        "IDENTIF_BIOMETRICOS": E.BIOMETRIC,
        "OTRO_NUMERO_IDENTIF": E.OTHER_ID,
        "ID_CONTACTO_ASISTENCIAL": E.OTHER_ID,
        "ID_EMPLEO_PERSONAL_SANITARIO": E.OTHER_ID,
        "OTROS_SUJETO_ASISTENCIA": None,
    },
    {
        E.STATE: "TERRITORIO",
        E.ZIP: "TERRITORIO",
        E.LOCATION_OTHER: "TERRITORIO",
        E.INITIALS: "NOMBRE_PERSONAL_SANITARIO",
    },
)

SCHEMES: Mapping[str, Scheme] = MappingProxyType(
    {s.name: s for s in (OURS, JSL_7, JSL_13, I2B2_2014, I2B2_2006, PHYSIONET, DERNONCOURT_LEE, CONLL_2003, MEDDOCAN)}
)


class UnknownLabelError(InputError):
    """A label of an annotated note is in none of the schemes of its format."""


@dataclass(frozen=True, slots=True)
class OwnLabels:
    """What the labels of one corpus mean where its format does not say it."""

    entities: Mapping[str, Entity | None] = field(default_factory=dict)
    """The entity by label, ``None`` for text that is not an identifier; they win over the schemes of a format."""
    ignored: frozenset[str] = frozenset()
    """Labels of text that counts neither as an identifier nor as anything else."""

    def entity_of(self, label: str, location: str, *schemes: Scheme, is_quoted: bool = True) -> Entity | None:
        """Return the entity of a label; arguments and errors are those of the function ``entity_of``."""
        if label in self.entities:
            return self.entities[label]
        return entity_of(label, location, *schemes, is_quoted=is_quoted)


NO_OWN_LABELS = OwnLabels()


def entity_of(label: str, location: str, *schemes: Scheme, is_quoted: bool = True) -> Entity | None:
    """Return the entity of a label, or ``None`` if the label marks no identifier.

    Args:
        label: The label as it stands in the file; case is ignored if no label matches exactly.
        location: File and line or note, for the message.
        schemes: The first scheme that has the label decides.
        is_quoted: Whether the message may quote the label; not where a word of the text can stand in its place.

    Raises:
        UnknownLabelError: None of the schemes has the label.
    """
    for scheme in schemes:
        for known in (label, label.upper()):
            if known in scheme.entities:
                return scheme.entities[known]
        for known, entity in scheme.entities.items():
            if known.lower() == label.lower():
                return entity
    names = " or ".join(scheme.name for scheme in schemes)
    if not is_quoted:
        raise UnknownLabelError(f"{location}: its label is not a label of {names}")
    known_labels = {known.upper(): known for scheme in schemes for known in scheme.entities}
    near = [known_labels[name] for name in get_close_matches(label.upper(), known_labels)]
    listed = f" (near: {', '.join(near)})" if near else ""
    raise UnknownLabelError(f"{location}: {label[:40]!r} is not a label of {names}{listed}")


def label_of(entity: Entity, scheme: Scheme) -> str | None:
    """Return the label that covers ``entity``; ``None`` if the scheme does not mark it."""
    return scheme.labels[entity]
