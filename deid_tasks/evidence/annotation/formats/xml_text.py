"""Exact note text inside XML.

XML allows no control characters except tab and line feed, and parsers read a carriage return as a line feed. A carriage
return is therefore written as a character reference. Every other forbidden character is replaced by a symbol of one
character, so that offsets stay valid, and is listed in an element beside the text.
"""

import re
from collections.abc import Iterator, Mapping
from xml.etree.ElementTree import Element

from deid_tasks.core.errors import InputError

_FORBIDDEN = re.compile("[\x00-\x08\x0b\x0c\x0e-\x1f\ufffe\uffff]")
_LINE_END = re.compile(r"\r\n|\r|\n")
_CONTROL = "CONTROL"


def text_element(text: str) -> str:
    """Return ``text`` as the content of an element: CDATA, with references for what CDATA cannot hold."""
    content = _FORBIDDEN.sub(_symbol, text).replace("]]>", "]]]]><![CDATA[>").replace("\r", "]]>&#13;<![CDATA[")
    return f"<![CDATA[{content}]]>"


def control_elements(text: str) -> Iterator[str]:
    """Yield an element for each character that ``text_element`` replaced."""
    for match in _FORBIDDEN.finditer(text):
        yield f'<{_CONTROL} start="{match.start()}" code="{ord(match[0])}" />'


def restore_control_characters(text: str, controls: Mapping[int, int]) -> str:
    """Return the text with its control characters, given as code by offset."""
    characters = list(text)
    for offset, code in controls.items():
        characters[offset] = chr(code)
    return "".join(characters)


def with_line_ends_of(text: str, content: str) -> str:
    """Return the text of the element ``TEXT`` with the line ends that stand in ``content``, its file.

    The text comes back as it is where its lines cannot be told: line ends may be written as references.
    """
    start, end = content.find("<TEXT"), content.rfind("</TEXT>")
    ends = _LINE_END.findall(content, max(start, 0), max(end, 0))
    lines = text.split("\n")
    if len(lines) != len(ends) + 1:
        return text
    return "".join(f"{line}{end}" for line, end in zip(lines, [*ends, ""], strict=True))


def controls_of(root: Element, length: int, location: str) -> dict[int, int]:
    """Return the code of each replaced character by offset; raises ``InputError`` if an offset is outside the text."""
    found = {}
    for element in root.iter(_CONTROL):
        try:
            start, code = int(element.get("start", "")), int(element.get("code", ""))
        except ValueError:
            raise InputError(f"{location}: a {_CONTROL} lacks start and code") from None
        if not 0 <= start < length or not 0 <= code <= 0x10FFFF or not _FORBIDDEN.match(chr(code)):
            raise InputError(f"{location}: a {_CONTROL} is outside the text or names no control character")
        found[start] = code
    return found


def _symbol(match: re.Match[str]) -> str:
    code = ord(match[0])
    return chr(0x2400 + code) if code < 0x20 else "\ufffd"
