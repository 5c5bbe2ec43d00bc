"""What each mode leaves in the place of an identifier, and which combinations are refused."""

import datetime

import pytest
from pydantic import ValidationError

from deid_tasks.core.entities import Entity
from deid_tasks.core.errors import InputError
from deid_tasks.core.reference import read_tsv
from deid_tasks.engine.obfuscate import Obfuscator
from deid_tasks.engine.text import Document
from deid_tasks.settings import InstitutionSettings, ObfuscateSettings, PolicySettings
from tests.support.markup import read_markup
from tests.support.surrogate_cases import MARIA, WRITTEN_AT

NOTE = "Seen by Dr. [PROVIDER:Ann Lee], MD ([PHONE:413-555-1234]) on [DATE:3/14/2021]: [PATIENT:Maria Okafor]'s knee."


def rewritten(marked, note_type=None, policy=None, **settings):
    text, spans = read_markup(marked)
    made = ObfuscateSettings(key="key", date_shift_days=(-15, -15), **settings)
    maker = Obfuscator(bytes(range(32)), "riverside", PolicySettings(**(policy or {})), made)
    result = maker.obfuscate(Document("n1", text, "p1", note_type), spans, MARIA, WRITTEN_AT)
    for (start, end), (begin, stop) in zip(reversed(result.originals), reversed(result.replaced), strict=True):
        assert result.text[:begin] + text[start:end] + result.text[stop:] != text or len(result.originals) == 1
    return result.text


@pytest.mark.parametrize(
    ("mode", "made"),
    [
        ("mask", "[PATIENT] was seen"),
        ("stars", "***** ****** was seen"),
        ("fixed_stars", "**** was seen"),
        ("remove", "was seen"),
        ("keep", "Maria Okafor was seen"),
    ],
)
def test_modes(mode, made):
    assert rewritten("[PATIENT:Maria Okafor] was seen", modes={"PATIENT": mode}, stars=4) == made


def test_a_hash_is_the_same_for_the_same_value_and_holds_nothing_of_it():
    one, other = (
        rewritten(f"[PATIENT:{name}]", modes={"PATIENT": "hash"}) for name in ("Maria Okafor", "MARIA  OKAFOR")
    )
    assert one == other
    assert len(one) == 16
    assert one != rewritten("[PATIENT:Maria Okafo]", modes={"PATIENT": "hash"})


@pytest.mark.parametrize(
    ("marked", "made"),
    [
        ("seen by Dr. [PROVIDER:Lee] today", "seen by today"),
        ("seen by Dr. [PROVIDER:Ann Lee], MD, today", "seen by, today"),
        ("the nurse ([PROVIDER:Ann Lee]) said", "the nurse said"),
        ("[PROVIDER:Lee] said", "said"),
        ("told [PROVIDER:Lee].", "told."),
        ("[PROVIDER:Lee]'s note", "note"),
    ],
)
def test_what_is_removed_leaves_no_title_and_no_brackets(marked, made):
    assert rewritten(marked, modes={"PROVIDER": "remove"}) == made


def test_modes_by_note_type():
    settings = {
        "modes": {"PATIENT": "mask"},
        "note_types": {"Radiology": {"modes": {"PATIENT": "stars", "DATE": "mask"}}},
    }
    marked = "[PATIENT:Maria], [DATE:3/14/2021]"
    assert rewritten(marked, "progress", **settings) == "[PATIENT], 2/27/2021"
    assert rewritten(marked, "RADIOLOGY", **settings) == "*****, [DATE]"


def test_own_lists(tmp_path):
    (tmp_path / "firms.txt").write_text("# ours\nAcme Works\nBolt Foundry\n", encoding="utf-8")
    (tmp_path / "names.tsv").write_text(
        "name\tpart\tsex\tgroup\nAda\tgiven\tF\twhite\nEda\tgiven\tF\twhite\nKarl\tgiven\tM\twhite\nStone\tsurname\tU\twhite\nWood\tsurname\tU\twhite\n",
        encoding="utf-8",
    )
    lists = {"ORGANIZATION": str(tmp_path / "firms.txt"), "PATIENT": str(tmp_path / "names.tsv")}
    modes = {"ORGANIZATION": "list", "PATIENT": "list"}
    made = rewritten("[PATIENT:Maria Okafor] of [ORGANIZATION:Hadfield & Sons]", modes=modes, lists=lists)
    name, _, firm = made.partition(" of ")
    first, last = name.split()
    assert (first, last) in {(a, b) for a in ("Ada", "Eda") for b in ("Stone", "Wood")}
    assert firm in {"Acme Works", "Bolt Foundry"}
    with pytest.raises(InputError, match="cannot be read"):
        rewritten("x", modes={"ORGANIZATION": "list"}, lists={"ORGANIZATION": str(tmp_path / "none.txt")})
    (tmp_path / "one.txt").write_text("Acme\n", encoding="utf-8")
    with pytest.raises(InputError, match="two replacements"):
        rewritten("x", modes={"ORGANIZATION": "list"}, lists={"ORGANIZATION": str(tmp_path / "one.txt")})


@pytest.mark.parametrize(
    ("settings", "message"),
    [
        ({"modes": {"FACILITY": "list"}}, "names no file"),
        ({"modes": {"DATE": "list"}, "lists": {"DATE": "x"}}, "cannot come from a list"),
        ({"lists": {"FACILITY": "x"}}, "but no mode is list"),
        ({"length": "same", "modes": {"PATIENT": "mask"}}, "changes the length"),
        ({"length": "same", "note_types": {"a": {"modes": {"PATIENT": "remove"}}}}, "changes the length"),
        ({"modes": {"CITY": "list"}, "lists": {"CITY": "x"}}, "would not lie in the surrogate STATE and ZIP"),
        ({"weekdays": "kept", "date_shift_days": (1, 6)}, "whole week"),
        ({"note_types": {"a": {"modes": {}}, "A": {"modes": {}}}}, "names a type twice"),
        ({"modes": {"PATIENT": "blur"}}, "Input should be"),
        ({"stars": 0}, "greater than or equal to 1"),
    ],
)
def test_settings_that_cannot_hold_together_are_refused(settings, message):
    with pytest.raises(ValidationError, match=message):
        ObfuscateSettings(key="key", **settings)


@pytest.mark.parametrize(
    ("policy", "modes", "message"),
    [
        ({"keep": ["DATE"]}, {"DATE": "mask"}, "policy.keep keeps it"),
        ({"group": "A"}, {"FACILITY": "mask"}, "group A does not transform it"),
        ({"age_groups": [20, 5]}, {}, "in order"),
    ],
)
def test_modes_that_contradict_the_policy_are_refused(policy, modes, message):
    with pytest.raises(ValidationError, match=message):
        InstitutionSettings.model_validate(
            {
                "institution": "riverside",
                "title": "Riverside",
                "warehouse": {"connection": "ehr", "layout": "omop"},
                "notes": {"start_date": datetime.date(2024, 1, 1)},
                "policy": policy,
                "obfuscate": {"key": "key", "modes": modes},
                "publish": {"bucket": "bucket", "object_store": "store", "catalog": "catalog"},
                "work_dir": "/tmp/x",
            }
        )


SAME = [
    "[PATIENT:Maria Okafor] | [PATIENT:Okafor, Maria T.] |",
    "| [CITY:Springfield] | [STATE:MA] | [ZIP:01103] |",
    "| [STATE:Massachusetts] | [FACILITY:Mercy General Hospital] | [FACILITY:St. Mary's] |",
    "| [DATE:March 14, 2021] | [DATE:3/14/21] | [DATE:5/1] | [DATE:Sunday] |",
    "| [AGE:92] | [AGE:ninety-two] | [PROFESSION:teacher] | [STREET:12 Elm St] |",
    "| [EMAIL:maria.okafor@mail.test] | [COUNTRY:Mexico] | [PHONE:413-555-1234] | [MRN:RH1234567] |",
]


@pytest.mark.parametrize("marked", SAME)
def test_same_length_keeps_every_column(marked):
    text, spans = read_markup(marked)
    for shift in (-200, -15, 100, 300):
        settings = ObfuscateSettings(key="key", date_shift_days=(shift, shift), length="same")
        maker = Obfuscator(bytes(32), "riverside", PolicySettings(), settings)
        made = maker.obfuscate(Document("n", text, "p1"), spans, MARIA, WRITTEN_AT)
        assert made.originals == made.replaced
        assert [i for i, c in enumerate(made.text) if c == "|"] == [i for i, c in enumerate(text) if c == "|"]
        assert "Okafor" not in made.text


def test_kept_zip_areas_follow_safe_harbor():
    policy = {"kept_zip_digits": 3}
    made = rewritten("[CITY:Springfield], [STATE:MA] [ZIP:01103]", policy=policy)
    assert made.endswith(tuple(f"MA 011{n:02d}" for n in range(100)))
    assert not made.startswith("Springfield")
    assert rewritten("[ZIP:05901]", policy=policy) == "00000"
    assert rewritten("[ZIP:89301-1234]", policy=policy) == "00000-0000"


def test_ages_move_within_their_group():
    for age in range(1, 90):
        made = int(rewritten(f"[AGE:{age}]", policy={"age_groups": (0, 5, 13, 20, 40, 60, 80)}))
        low, high = next(
            (a, b) for a, b in ((0, 5), (5, 13), (13, 20), (20, 40), (40, 60), (60, 80), (80, 90)) if a <= age < b
        )
        assert low <= made < high
        assert made != age
    assert rewritten("[AGE:6 months]", policy={"age_groups": (0, 5)}) == "6 months"
    assert rewritten("a [AGE:92]-year-old", policy={"age_form": "readable"}) == "an over-89-year-old"


def test_weekdays_and_holidays_by_policy():
    marked = "[DATE:Sunday, March 14, 2021], [DATE:Christmas 2020]"
    text, spans = read_markup(marked)
    for settings, made in (
        ({"weekdays": "kept", "date_shift_days": (-20, -14)}, "Sunday, February 28, 2021, Veterans Day 2020"),
        ({"holidays": "date", "date_shift_days": (-15, -15)}, "Saturday, February 27, 2021, December 10, 2020"),
        ({"holidays": "kept", "date_shift_days": (-15, -15)}, "Saturday, February 27, 2021, Christmas 2020"),
    ):
        maker = Obfuscator(bytes(32), "r", PolicySettings(), ObfuscateSettings(key="key", **settings))
        shown = maker.obfuscate(Document("n", text, "p1"), spans, None, WRITTEN_AT).text
        assert shown == made or ("weekdays" in settings and shown.startswith("Sunday, February 28, 2021"))


def test_reserved_ranges_by_setting():
    marked = "[PHONE:413-253-1000] [EMAIL:a@b.org] [IP:8.8.8.8] [URL:www.mercy.org]"
    phone, mail, ip, url = rewritten(marked, reserved_ranges=True).split()
    assert phone[4:10] == "555-01"
    assert mail.split("@")[1] in {"example.com", "example.org", "example.net"}
    assert ip.rpartition(".")[0] in {"192.0.2", "198.51.100", "203.0.113"}
    assert url.removeprefix("www.") in {"example.com", "example.org", "example.net"}


def test_every_range_restores_its_original():
    text, spans = read_markup(NOTE + " An [PROFESSION:electrician], [PATIENT:Okafor], [PATIENT:Maria].")
    for modes in ({}, {"PROVIDER": "remove", "PROFESSION": "mask"}):
        maker = Obfuscator(bytes(32), "r", PolicySettings(), ObfuscateSettings(key="key", modes=modes))
        made = maker.obfuscate(Document("n", text, "p1"), spans, MARIA, WRITTEN_AT)
        restored = made.text
        rows = list(zip(made.originals, made.replaced, made.entities, strict=True))
        assert {entity for _, _, entity in rows} <= set(Entity)
        for (start, end), (begin, stop), _ in reversed(rows):
            restored = restored[:begin] + text[start:end] + restored[stop:]
        assert restored == text


def test_kept_zip_areas_with_equally_many_places_are_told_apart():
    """An area that no place has falls back to its state, whatever area was asked for before."""
    hide = Obfuscator(bytes(32), "r", PolicySettings(kept_zip_digits=3), ObfuscateSettings(key="key"))
    for row in read_tsv("places.tsv")[::7]:
        for zip_code in (row["zip"], "99999"):
            made = hide.value(zip_code, Entity.ZIP, city=row["city"], state=row["state"], zip_code=zip_code)
            assert made[:3] in {zip_code[:3], "000"}
