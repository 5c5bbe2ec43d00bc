"""Note text inside XML, character for character.

XML knows no control characters but tab and line feed, and reads a carriage return as a line feed. A carriage return is therefore
written as a reference; another character that XML forbids has a symbol of one character in its place, so that offsets stay, and is
named in a list beside the text.
"""

import re
from collections.abc import Iterator, Mapping
from xml.etree import ElementTree

from deid_tasks.core.errors import InputError

_FORBIDDEN = re.compile("[\x00-\x08\x0b\x0c\x0e-\x1f\ufffe\uffff]")
_CONTROL = "CONTROL"


def text_element(text: str) -> str:
    """``text`` as the inside of an element: CDATA, but for what CDATA cannot hold."""
    held = _FORBIDDEN.sub(_symbol, text).replace("]]>", "]]]]><![CDATA[>").replace("\r", "]]>&#13;<![CDATA[")
    return f"<![CDATA[{held}]]>"


def control_elements(text: str) -> Iterator[str]:
    """What ``text_element`` had to replace, an element each."""
    for match in _FORBIDDEN.finditer(text):
        yield f'<{_CONTROL} start="{match.start()}" code="{ord(match[0])}" />'


def restore(text: str, controls: Mapping[int, int]) -> str:
    """The text with its control characters back in their places."""
    characters = list(text)
    for place, code in controls.items():
        characters[place] = chr(code)
    return "".join(characters)


def controls_of(root: ElementTree.Element, length: int, place: str) -> dict[int, int]:
    """Offset and code of each replaced character; raises ``InputError`` where one lies outside the text."""
    found = {}
    for element in root.iter(_CONTROL):
        try:
            start, code = int(element.get("start", "")), int(element.get("code", ""))
        except ValueError:
            raise InputError(f"{place}: a {_CONTROL} lacks start and code") from None
        if not 0 <= start < length or not _FORBIDDEN.match(chr(code % 0x110000)):
            raise InputError(f"{place}: a {_CONTROL} is outside the text, or none")
        found[start] = code
    return found


def _symbol(match: re.Match[str]) -> str:
    code = ord(match[0])
    return chr(0x2400 + code) if code < 0x20 else "\ufffd"
