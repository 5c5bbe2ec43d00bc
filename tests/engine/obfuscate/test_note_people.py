"""A person whom a note names in full is one person in it: short names, initials, accounts and sign-offs follow."""

import pytest

from deid_tasks.engine.obfuscate.people.name_text import fold_name
from deid_tasks.engine.text import Document
from tests.support.markup import read_markup
from tests.support.surrogate_cases import MARIA, WRITTEN_AT, obfuscator

PEOPLE = (
    ("Andrzej", "Wisniewski"), ("Ife", "Balogun"), ("Penelope", "Achterberg"), ("Lakshmi", "Venkataraman"),
    ("Einar", "Halvorsen"), ("Quyen", "Huynh"), ("Lucia", "Ferreira"), ("Yusuf", "Karimov"), ("Dorothea", "Zelenka"),
    ("Hideki", "Marchetti"), ("Aroha", "Ngata"), ("Tobias", "Lindqvist"),
)  # fmt: skip
FORMS = {
    "[PROVIDER:{first}] called.": "{f} called.",
    "[PATIENT:{last}] called.": "{l} called.",
    "[PROVIDER:{LAST}, {FIRST}]": "{L}, {F}",
    "Dr. [PROVIDER:{last}]": "Dr. {l}",
    "[PROVIDER:{i}. {last}]": "{fi}. {l}",
    "signed [INITIALS:{I}{J}]": "signed {fi}{li}",
    "[INITIALS:{i}.{j}.]": "{fi}.{li}.",
    "-[INITIALS:{il}{jl}]": "-{fil}{lil}",
    "user [USERNAME:{il}{lower}]": "user {fil}{ll}",
    "user [USERNAME:{lower}{il}]": "user {ll}{fil}",
    "user [USERNAME:{flower}.{lower}]": "user {fl}.{ll}",
    "user [USERNAME:{flower}{jl}]": "user {fl}{lil}",
    "[EMAIL:{flower}.{jl}@wexbridge-clinic.org]": "{fl}.{lil}@",
    "[EMAIL:{il}{lower}@wexbridge-clinic.org]": "{fil}{ll}@",
    "that is [PROVIDER:{spelled}]": "that is {respelled}",
}


def rewritten(marked, patient=None, patient_id=None):
    text, spans = read_markup(marked)
    document = Document("n1", text, patient.patient_id if patient else patient_id)
    return obfuscator().obfuscate(document, spans, patient, WRITTEN_AT).text


@pytest.mark.parametrize("form", FORMS)
@pytest.mark.parametrize(("first", "last"), PEOPLE)
def test_every_form_follows_the_full_name(first, last, form):
    said = form.format(
        first=first, last=last, FIRST=first.upper(), LAST=last.upper(), flower=first.lower(), lower=last.lower(),
        i=first[0], j=last[0], I=first[0], J=last[0], il=first[0].lower(), jl=last[0].lower(),
        spelled="-".join(last.upper()),
    )  # fmt: skip
    made = rewritten(f"Seen by [PROVIDER:{first} {last}], MD.\n{said}")
    f, l = made.splitlines()[0].removeprefix("Seen by ").removesuffix(", MD.").split()  # noqa: E741
    assert {fold_name(f), fold_name(l)}.isdisjoint({fold_name(first), fold_name(last)})
    expected = FORMS[form].format(
        f=f, l=l, F=f.upper(), L=l.upper(), fl=fold_name(f), ll=fold_name(l), fi=f[0], li=l[0], fil=f[0].lower(),
        lil=l[0].lower(), respelled="-".join(l.upper()),
    )  # fmt: skip
    assert made.splitlines()[1].startswith(expected)


@pytest.mark.parametrize(
    "marked",
    [
        "[PROVIDER:Andrzej Wisniewski] wrote. [PATIENT:Andrzej Wisniewski] is 61. [PATIENT:Wisniewski, Andrzej]",
        "[PATIENT:Wisniewski Andrzej]\n[PATIENT:Andrzej Wisniewski] [RELATIVE:Andrzej Wisniewski]",
        "[PROVIDER:Andrzej Wisniewski], [PATIENT:Wisniewski], [RELATIVE:Wisniewski]",
        "[PROVIDER:Andrzej]; [PATIENT:Andrzej]; [PATIENT:ANDRZEJ]",
    ],
)
def test_one_name_of_several_roles_is_one_person(marked):
    text, _ = read_markup(marked)
    before, after = ([fold_name(word.strip(".,;")) for word in one.split()] for one in (text, rewritten(marked)))
    made = {}
    for word, surrogate in zip(before, after, strict=True):
        made.setdefault(word, set()).add(surrogate)
    assert all(len(surrogates) == 1 for surrogates in made.values())
    assert made["andrzej"] != {"andrzej"}


def test_what_one_note_says_of_a_name_changes_no_other_note():
    """Surrogates are remembered from note to note; initials follow the full names of their own note."""
    givens = ("Yusuf", "Yvonne", "Yara", "Yannick", "Yuri")
    notes = [f"[PROVIDER:{given} Karimov] wrote.\nThen [PROVIDER:Y. Karimov] called." for given in givens]
    notes.append("Then [PROVIDER:Y. Karimov] called.")

    def written(order):
        maker, made = obfuscator(), {}
        for i in order:
            text, spans = read_markup(notes[i])
            made[i] = maker.obfuscate(Document(str(i), text, "p1"), spans, None, WRITTEN_AT).text
        return made

    alone = {i: written([i])[i] for i in range(len(notes))}
    assert len({one.split()[-3] for one in alone.values()}) > 1
    assert written(range(len(notes))) == written(reversed(range(len(notes)))) == alone


def test_a_clinician_with_the_patients_surname_is_another_person():
    made = rewritten("[PATIENT:Bruce Ward] was seen by Dr. [PROVIDER:Ward].", patient_id="p7")
    patient, clinician = made.removesuffix(".").split(" was seen by Dr. ")
    assert patient.split()[1] != clinician


def test_who_is_in_the_patients_record_stays_the_patient():
    made = rewritten("[PROVIDER:Maria Okafor] [PROVIDER:Maria Okafor], and [PATIENT:Maria Okafor].", MARIA)
    [alone] = {made.split(", and ")[1].removesuffix(".")}
    assert made.startswith(f"{alone} {alone}")
    assert rewritten("[PATIENT:Maria Okafor]", MARIA) == alone


def test_initials_that_fit_two_people_follow_neither_by_chance():
    """The letters' own surrogates stand, as where no name stands in the note."""
    alone = rewritten("[INITIALS:AL]", patient_id="p7")
    made = rewritten("[PROVIDER:Ana Lindqvist], [PROVIDER:Aldo Lee] [INITIALS:AL]", patient_id="p7")
    assert made.endswith(alone)


def test_initials_of_the_dictating_and_of_the_typing_person_are_two_people():
    made = rewritten("[PROVIDER:Catriona Lang] dictated. [INITIALS:CL/bd]")
    first, last = made.split(" dictated")[0].split()
    assert made.split(". ")[1].split("/")[0] == first[0] + last[0]


def test_a_part_of_a_domain_follows_the_organization_of_that_name():
    made = rewritten(
        "[FACILITY:Tireman Metabolic Clinic], [URL:www.tiremanmetabolic.com/mychart], [EMAIL:front-desk@tiremanmetabolic.com]"
    )
    name, url, mail = made.split(", ")
    stem = "".join(word.lower() for word in name.split()[:2])
    assert url == f"www.{stem}.com/mychart"
    assert mail == f"front-desk@{stem}.com"


def test_letters_that_are_no_name_are_rewritten_as_initials():
    made = rewritten("thanks -[PROVIDER:bmc]")
    assert len(made) == len("thanks -bmc")
    assert made != "thanks -bmc"


def test_a_note_without_a_patient_has_people_and_dates_of_its_own():
    marked = "[PATIENT:Ana Lindqvist], seen [DATE:3/14/2021]."
    maker = obfuscator((-300, 300))
    made = set()
    for i in range(12):
        text, spans = read_markup(f"{marked} Note {i}.")
        made.add(maker.obfuscate(Document(str(i), text, None), spans, None, WRITTEN_AT).text.split(" Note")[0])
        again = maker.obfuscate(Document("another id", text, None), spans, None, WRITTEN_AT).text
        assert again.split(" Note")[0] in made
    assert len({one.split(", ")[0] for one in made}) > 6
    assert len({one.split("seen ")[1] for one in made}) > 6


def test_notes_of_one_patient_share_people_and_dates():
    maker = obfuscator((-300, 300))
    made = set()
    for i in range(3):
        text, spans = read_markup(f"[PATIENT:Ana Lindqvist], seen [DATE:3/14/2021]. Note {i}.")
        made.add(maker.obfuscate(Document(str(i), text, ""), spans, None, WRITTEN_AT).text.split(" Note")[0])
    assert len(made) == 1


def test_an_address_of_a_patient_does_not_depend_on_whom_the_note_names(rewrite):
    address = "[URL:https://portal.example/i/HW113406]"
    alone = rewrite(address)
    assert rewrite(f"{address} seen by [PROVIDER:Hodan Warfa]").split()[0] == alone
