"""Countries, counties, ZIP codes, and the postcodes of Britain, Canada and Ireland."""

import re
from collections.abc import Iterator

from deid_tasks.core.entities import Entity
from deid_tasks.engine.detect.patterns.rule import Candidate, Strength, text_after
from deid_tasks.engine.detect.patterns.word_lists import alternation

COUNTRY_TRIGGER = (
    rf"\b(?:{alternation('places', 'countries')}|{alternation('places', 'countries_of_several_words')}"
    r"|USA|U\.S\.A\.)(?:\b|\.)"
    r"|(?:from|in|to|visited|born in|through|of|travel(?:ed)? to) "  # countries that are words or names too
    r"(?:Turkey|Jordan|Chad|Mali|Niger|Guinea|Georgia|UK|the UK|the US)\b"
)
_NO_COUNTRY_AFTER = re.compile(
    r"(?:\s(?:ink|virus|score|staging|classification|spice|syndrome|nut|nuts|encephalitis|criteria|street|st|ave|avenue"
    r"|general|green|hospital|university|war)\b|-pugh|-barr|[ -](?:era[ -])?vet(?:eran)?s?\b)"
)


def read_country(text: str, start: int, end: int) -> Iterator[Candidate]:
    """Read the name of a country; not India ink, Jordan hospital nor Vietnam veteran."""
    if _NO_COUNTRY_AFTER.match(text_after(text, end)):
        return
    value = text[start:end]
    if value[0].islower():
        word = value.split()[-1]
        yield Candidate(end - len(word), end, Entity.COUNTRY)
    elif value[:4] != "Cuba" or value == "Cuba":
        stop = end - 1 if value.endswith(".") and not value.startswith("U.") else end
        yield Candidate(start, stop, Entity.COUNTRY)


COUNTY_TRIGGER = (
    rf"\b(?:Co\.?|CO\.?|County) (?:(?i:{alternation('places', 'irish_counties')}))\b"
    r"|\b(?:(?:North|South|West|East) (?:Yorkshire|Sussex|Glamorgan|Lothian|Midlands)|Greater (?:London|Manchester)"
    r"|East Riding of Yorkshire|Tyne and Wear|Isle of Wight)\b"
)


def read_county(_text: str, start: int, end: int) -> Iterator[Candidate]:
    """Read a county of Ireland behind its label, and a British one of several words: Co. Sligo, West Yorkshire."""
    yield Candidate(start, end, Entity.STATE, Strength.LABELLED)


POSTCODE_TRIGGER = (
    r"\b[A-Z]{1,2}[0-9][0-9A-Z]? [0-9][ABD-HJLNP-UW-Z]{2}\b"  # HR1 7QX
    r"|\b[ABCEGHJ-NPRSTVXY][0-9][A-Z] [0-9][A-Z][0-9]\b"  # J4K 2T5
    r"|\b(?:[AC-FHKNPRTV-Y][0-9]{2}|D6W) [0-9AC-FHKNPRTV-Y]{4}\b"  # F12 XK00
)
_NO_POSTCODE = re.compile(r"[0-9](?:ST|ND|RD|TH|HR|LB|YR|PT|TB|NS|LR|BD)$")
_TOWN_OR_LINE_BEFORE = re.compile(
    r"(?:[A-Z][a-z'\-]{1,20},? {1,2}|\n[ \t]*|[A-Z]{4} {1,2}|\([A-Z]{2}\),? "
    r"|\b(?:ON|QC|BC|AB|MB|SK|NS|NB|NL|PE|NT|YT|NU),? {1,2})$"
)


def read_postcode(text: str, start: int, end: int) -> Iterator[Candidate]:
    """Read the postcodes of Britain, Canada and Ireland behind a town or at the beginning of a line."""
    if not _TOWN_OR_LINE_BEFORE.search(text[max(0, start - 26) : start]):
        return
    if not _NO_POSTCODE.search(text, start, end) and text[end : end + 1] not in {"-", "/"}:
        yield Candidate(start, end, Entity.ZIP)


PIN_TRIGGER = (
    r"\b(?:Andhra Pradesh|Assam|Bihar|Chhattisgarh|Goa|Gujarat|Haryana|Himachal Pradesh|Jharkhand|Karnataka|Kerala"
    r"|Madhya Pradesh|Maharashtra|Manipur|Meghalaya|Mizoram|Nagaland|Odisha|Punjab|Rajasthan|Sikkim|Tamil ?Nadu|TN"
    r"|Telangana|Tripura|Uttar Pradesh|Uttarakhand|West Bengal|Delhi|India|P\.O\.?|(?i:pin(?: ?code)?))"
    r"[ ,.:\-]{1,4}[1-8][0-9]{2} ?[0-9]{3}\b"
    r"|, ?[A-Z][a-z]{4,} ?- ?[1-8][0-9]{2} [0-9]{3}\b|\b(?:Singapore[ (]{1,2}|S ?\()[0-8][0-9]{5}\b"
)
_PIN_VALUE = re.compile(r"[0-8][0-9]{2} ?[0-9]{3}$")


def read_pin(text: str, start: int, end: int) -> Iterator[Candidate]:
    """Read the PIN code of India behind its state or its label, and the postcode of Singapore: S(560418)."""
    match = _PIN_VALUE.search(text, start, end)
    if match and text[end : end + 1] not in {"-", "/"}:
        yield Candidate(match.start(), end, Entity.ZIP, Strength.LABELLED)


ZIP_TRIGGER = r"(?i)\bzip(?: ?code)?:? ?[0-9]{5}(?:-[0-9]{4})?\b|\b[0-9]{5}-[0-9]{4}\b"
_ZIP_VALUE = re.compile(r"[0-9]{5}(?:-[0-9]{4})?$")


def read_zip(text: str, start: int, end: int) -> Iterator[Candidate]:
    """Read a labelled ZIP code, or one with its four more figures."""
    match = _ZIP_VALUE.search(text, start, end)
    if match and text[start - 1 : start] not in {"-", "/"} and text[end : end + 1] != "-":
        strength = Strength.LABELLED if text[start].isalpha() else Strength.WEAK
        yield Candidate(match.start(), end, Entity.ZIP, strength)
