"""Labels of other corpora, there and back."""

import pytest

from deid_tasks.core.entities import Entity, category_of
from deid_tasks.core.errors import InputError
from deid_tasks.evidence.annotation.labels import SCHEMES, entity_of, label_of

PLACES = {
    Entity.STREET,
    Entity.CITY,
    Entity.STATE,
    Entity.COUNTRY,
    Entity.ZIP,
    Entity.LOCATION_OTHER,
    Entity.FACILITY,
    Entity.ORGANIZATION,
}
"""Schemes without organizations, or without cities, call them places."""


@pytest.mark.parametrize("scheme", SCHEMES.values(), ids=SCHEMES)
def test_a_label_that_stands_for_an_entity_comes_back_as_it(scheme):
    for entity, label in scheme.labels.items():
        if label is None:
            continue
        back = scheme.entities[label]
        assert back is not None
        same_kind = category_of(back) is category_of(entity) or {back, entity} <= PLACES or back is Entity.OTHER_ID
        assert same_kind or (entity, back) == (Entity.USERNAME, Entity.PROVIDER), (entity, label)
    for label, entity in scheme.entities.items():
        assert entity is None or scheme.entities[scheme.labels[entity]] is entity, label


def test_ours_is_whole():
    assert all(label_of(entity, SCHEMES["ours"]) == entity for entity in Entity)


@pytest.mark.parametrize(
    ("scheme", "label", "entity"),
    [
        ("i2b2-2014", "DOCTOR", Entity.PROVIDER),
        ("i2b2-2014", "MEDICALRECORD", Entity.MRN),
        ("i2b2-2014", "medicalrecord", Entity.MRN),
        ("i2b2-2006", "LOCATION", Entity.LOCATION_OTHER),
        ("physionet", "RelativeProxyName", Entity.RELATIVE),
        ("physionet", "DateYear", Entity.DATE),
        ("dernoncourt-lee", "IDNUM", Entity.OTHER_ID),
        ("jsl-7", "NAME", Entity.PATIENT),
        ("jsl-7", "CONTACT", Entity.PHONE),
        ("jsl-13", "DOCTOR", Entity.PROVIDER),
        ("jsl-13", "E-MAIL", Entity.EMAIL),
        ("conll-2003", "PER", Entity.PATIENT),
        ("conll-2003", "MISC", None),
        ("meddocan", "SEXO_SUJETO_ASISTENCIA", None),
        ("meddocan", "TERRITORIO", Entity.CITY),
    ],
)
def test_labels(scheme, label, entity):
    assert entity_of(label, "here", SCHEMES[scheme]) is entity


@pytest.mark.parametrize(("scheme", "count"), [("jsl-7", 7), ("jsl-13", 13), ("i2b2-2006", 8)])
def test_the_number_of_classes(scheme, count):
    assert len(set(SCHEMES[scheme].labels.values()) - {None}) == count


def test_times_of_day_have_no_label_in_schemes_that_do_not_mark_them():
    unmarked = [name for name, scheme in SCHEMES.items() if scheme.labels[Entity.TIME] is None]
    assert set(SCHEMES) - set(unmarked) == {"ours"}


def test_an_unknown_label_is_named_with_its_place():
    with pytest.raises(InputError, match=r"notes\.ann:7: 'PLANET' is not a label of ours or meddocan"):
        entity_of("PLANET", "notes.ann:7", SCHEMES["ours"], SCHEMES["meddocan"])


def test_the_first_scheme_that_has_a_label_decides():
    assert entity_of("HOSPITAL", "x", SCHEMES["ours"], SCHEMES["meddocan"]) is Entity.FACILITY
