"""Web addresses: another domain of the same kind, with a path of the same shape."""

import re

from deid_tasks.core.reference import fold
from deid_tasks.engine.obfuscate.identifiers.domains import prepend_name, replace_domain, reserved_domain
from deid_tasks.engine.obfuscate.names.account_names import replace_account_part
from deid_tasks.engine.obfuscate.note_context import NO_NAMES, NoteContext, NoteNames
from deid_tasks.engine.obfuscate.word_lists import read_word_list

_URL = re.compile(r"(?P<scheme>[a-z]+://)?(?P<host>[^/\s?#]+)(?P<path>.*)", re.IGNORECASE | re.DOTALL)
_KEPT_PATH_PARTS = frozenset(read_word_list("identifiers/url_words.txt"))
_PATH_PART = re.compile(r"[^\W_]+")


def replace_url(value: str, context: NoteContext, names: NoteNames = NO_NAMES) -> str:
    """Return a web address at another domain; names of the patient in its path agree with their surrogates."""
    match = _URL.match(value)
    if match is None:
        return context.keyed.like(value, "url")
    host, colon, port = match["host"].partition(":")
    if context.options.reserved_ranges:
        lead = "www." if fold(host).startswith("www.") else ""
        surrogate = lead + reserved_domain(host, context)
    else:
        surrogate = replace_domain(host, context, names)
        surrogate = surrogate if surrogate != host else prepend_name(host, context)
    path = _PATH_PART.sub(lambda part: _replace_path_part(part.group(), context), match["path"])
    return f"{match['scheme'] or ''}{surrogate}{colon}{port}{path}"


def _replace_path_part(part: str, context: NoteContext) -> str:
    if part.casefold() in _KEPT_PATH_PARTS:
        return part
    own = replace_account_part(part, context.patient, only_record=True)
    return own or context.keyed.like(part, "url")
