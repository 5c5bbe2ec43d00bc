"""User names, and the initials and numbers with which a dictation system marks who typed a report."""

import re
from collections.abc import Iterator

from deid_tasks.core.entities import Entity
from deid_tasks.engine.detect.patterns.identifiers.number_formats import AMOUNT_AFTER
from deid_tasks.engine.detect.patterns.rule import Candidate, Strength, text_after
from deid_tasks.engine.detect.patterns.word_lists import NOT_NAMES, word_set

USER_NAME_TRIGGER = (
    r"(?i)\b(?:user ?(?:name|id)?|login|log-?in|logon|network id|epic (?:id|user)|ldap|employee id|emp id"
    r"|(?:signed|entered|documented|verified|dictated|transcribed|created|edited|reviewed|released|acknowledged|filed"
    r"|typed|completed|scanned|printed) by)\b[ :#=]{1,3}\(?[a-z][a-z0-9._]{2,20}\b"  # user name: mokafor
    r"|\bby [a-z]{2,10}[0-9]{1,5}\b"  # by mto12
    r"|[\[(/@][a-z]{1,8}[0-9]{2,6}\b"  # (mto12)
    r"|(?m)\b[a-z]{2,9}[0-9]{1,5}[).]{0,2}[ \t]{0,4}$"  # mto12 at the end of a line
    r"|(?:MD|DO|RN|NP|PharmD|M\.D\.|D\.O\.) [a-z]{2,9}[0-9]{1,5}\b"  # MD MO123
)
_USER_VALUE = re.compile(r"[A-Za-z][A-Za-z0-9._]{2,20}(?=[).]{0,2}[ \t]{0,4}$)")
_CREDENTIAL_LABEL = re.compile(r"(?:m\.?d\.?|d\.?o\.?|rn|np|pharmd) $")
_NOT_USER_NAMES = word_set("identifiers", "not_user_names")
_PRODUCTS_AND_CRITERIA = word_set("identifiers", "products_and_criteria")
_LETTERS_AND_FIGURES = re.compile(r"([A-Za-z]{2,10})[0-9]{1,6}|[A-Za-z][0-9]{4,6}")
_TWO_LETTERS_AND_FIGURES = re.compile(r"[A-Z]{2}[0-9]{2,4}")
_DOTTED_NAME = re.compile(r"[a-z]+\.[a-z]+")
_USER_LABELS = ("user", "login", "log", "network", "epic", "ldap", "emp")
_NO_VALUES = frozenset({"name", "none", "unknown", "the", "and"})


def read_user_name(text: str, start: int, end: int) -> Iterator[Candidate]:
    """Read a user name behind its label, or letters and figures in brackets or behind a slash."""
    match = _USER_VALUE.search(text, start, end)
    if match is None:
        return
    value, label = match.group().rstrip("."), text[start : match.start()].lower()
    stop = match.start() + len(value)
    if label.startswith(_USER_LABELS):
        has_figure = any(character.isdigit() for character in value)
        if (set(":#=") & set(label) or has_figure) and value.lower() not in _NO_VALUES:
            yield Candidate(match.start(), stop, Entity.USERNAME, Strength.LABELLED)
    elif _is_bare_user_name(value, label):
        yield Candidate(match.start(), stop, Entity.USERNAME, Strength.FORMAT)


def _is_bare_user_name(value: str, label: str) -> bool:
    """Whether a value without a label of user names is one: MD MO123, signed by mokafor2, (mto123)."""
    if _CREDENTIAL_LABEL.match(label) and _TWO_LETTERS_AND_FIGURES.fullmatch(value):
        return True
    shape = _LETTERS_AND_FIGURES.fullmatch(value)
    if "by " in label:
        is_code = shape is not None and (len(value) > 3 or value.islower())
        if shape is not None and (shape.group(1) or "").lower() in _PRODUCTS_AND_CRITERIA:
            return False
        return is_code or _DOTTED_NAME.fullmatch(value) is not None
    if shape is None or not value.islower() or len(value) < 5:
        return False
    letters = shape.group(1)
    return bool(letters) and letters not in _NOT_USER_NAMES and letters not in NOT_NAMES


LOGIN_TRIGGER = (
    r"\b(?:uploaded|logged (?:in|on)|signed (?:in|on)|charted|filed) (?:under|as) [a-z]{2,12}[._][a-z]{2,12}\b"
    r"|\b(?:a/c|handle|screen ?name) [a-z]{4,15}[0-9]{1,4}\b"
)


def read_login(text: str, start: int, end: int) -> Iterator[Candidate]:
    """Read uploaded under j.okafor and portal a/c okafor60."""
    yield Candidate(text.rindex(" ", start, end) + 1, end, Entity.USERNAME, Strength.LABELLED)


PLAYER_TRIGGER = (
    r"\b(?i:plays (?:online )?as|gamer ?tags?|psn|xbox(?: live)?|discord|roblox|fortnite|minecraft|twitch|steam"
    r"|instagram"
    r"|insta|snap(?:chat)?|tik ?tok|venmo|cash ?app|telegram|kik|reddit|screen ?name|handle)"
    r"(?: (?:name|id|handle|account|acct|user|tag|is|as|under)){0,2}[: ]{1,3}@?[A-Za-z_][A-Za-z0-9_.\-]{3,24}\b"
)
_PLAYER = re.compile(r"(?<=[ :@])(?P<name>[A-Za-z_][A-Za-z0-9_.\-]{3,24})$")
_OF_USER_NAMES = re.compile(r"[a-zA-Z][0-9_]|_[A-Za-z]|@[A-Za-z]")


def read_name_of_player(text: str, start: int, end: int) -> Iterator[Candidate]:
    """Read plays as xX_okafor_Xx and venmo @Okafor-B-44: figures or underscores inside, or an @ in front."""
    match = _PLAYER.search(text, start, end)
    if match and _OF_USER_NAMES.search(text, match.start() - 1, match.end()):
        yield Candidate(*match.span("name"), Entity.USERNAME, Strength.LABELLED)


STAMPED_TRIGGER = (
    r"[0-9]T[0-9]{2}:?[0-9]{2}[0-9:.]{0,16}(?:Z|[+\-][0-9]{2}:?[0-9]{2})? {1,2}(?:by )?[A-Za-z][A-Za-z0-9._]{2,15}"
    r"(?:[ \t]{0,4}$|[,;)]| (?:from|at|on|via)\b)"
)
_STAMPED_VALUE = re.compile(r" (?P<value>[A-Za-z][A-Za-z0-9._]{2,15})(?=[ \t]*$|[,;)]| (?:from|at|on|via)$)")


def read_user_behind_stamp(text: str, start: int, end: int) -> Iterator[Candidate]:
    """Read 2021-03-14T08:35:00Z MOKAFOR1 from 10.1.12.5: the user name that a computer writes behind its time."""
    match = _STAMPED_VALUE.search(text, start, end)
    if match and match["value"].lower() not in NOT_NAMES and match["value"].lower() not in {"from", "via", "utc"}:
        is_code = any(character.isdigit() for character in match["value"])
        if is_code or "." in match["value"].rstrip(".") or match["value"].isupper():
            yield Candidate(
                match.start("value"), match.start("value") + len(match["value"].rstrip(".")), Entity.USERNAME
            )


CHAT_TRIGGER = (
    r"(?m)^\[?[0-9]{1,2}:[0-9]{2}(?: ?[AaPp][Mm])?\]?[ \-]{1,3}[a-z]{2,15}[._][a-z]{2,15}:"  # 08:21 mary.okafor: ok
    r"|\b(?i:participants|members|recipients): ?[^\n]{3,200}"
)
_CHAT_NAME = re.compile(r"(?<![\w.@/])[a-z]{2,15}[._][a-z]{2,15}(?![\w@/]|\.\w)")


def read_user_of_chat(text: str, start: int, end: int) -> Iterator[Candidate]:
    """Read who writes in a chat, behind the time and in the list of its participants."""
    yield from (
        Candidate(*match.span(), Entity.USERNAME, Strength.LABELLED) for match in _CHAT_NAME.finditer(text, start, end)
    )


DICTATION_TRIGGER = (
    r"\b(?:QT|TR|DD|TD|DT|DV|D|T|JOB|ID):? {0,2}[A-Z]{2,4}:[0-9]{4,8}\b"  # QT: MO:12345
    r"|(?m)^[ \t]{0,4}[A-Z]{2,3}:[0-9]{4,8}\b"  # MO:12345
    r"|\b[A-Z]{2}:[A-Z]{1,2}[0-9]{2}-[0-9]{3,6}\b"  # MO:S21-1234
)
_NOT_DICTATORS = word_set("identifiers", "not_dictators")


def read_dictation_number(text: str, start: int, end: int) -> Iterator[Candidate]:
    """Read who typed a report and its number: QT: MO:12345."""
    begin = text.rfind(" ", start, end) + 1 or start
    begin = next((i for i in range(begin, end) if text[i].isalpha()), end)
    letters = text[begin : text.rfind(":", begin, end)]
    if letters.lower() not in _NOT_DICTATORS and not AMOUNT_AFTER.match(text_after(text, end)):
        yield Candidate(begin, end, Entity.OTHER_ID, Strength.LABELLED)
