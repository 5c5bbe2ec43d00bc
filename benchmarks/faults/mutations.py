"""Damage to files: bytes that are flipped, cut, doubled or exchanged, and values that no writer would write."""

import random
import re
from collections.abc import Callable, Mapping

Mutation = Callable[[random.Random, bytes], bytes]
_NUMBER = re.compile(rb"-?\d+(\.\d+)?")
_TEXT = re.compile(rb'"[^"\n]{0,200}"')
_HOSTILE_NUMBERS = (
    b"-1",
    b"0",
    b"1e999",
    b"-1e999",
    b"NaN",
    b"Infinity",
    b"9223372036854775808",
    b"1" * 5_000,
    b"0x10",
    b"1.5",
    b"1_000",
    b"\xd9\xa3",
    b"1114113",
    b"",
    b"null",
    b"[]",
)
_HOSTILE_TEXTS = (
    b'""',
    b"null",
    b"[]",
    b"{}",
    b"true",
    b"1",
    b'"\\ud800"',
    b'"\\u0000"',
    b'"../../../../etc/passwd"',
    b'"/etc/passwd"',
    b'"x\'; drop table note; --"',
    b'"' + b"A" * 70_000 + b'"',
    b'"\xff\xfe"',
    b"[[[[[[]]]]]]",
)
_HOSTILE_LINES = (
    b"",
    b"\x00",
    b"\xff\xfe\xfa",
    b"{",
    b"[" * 20_000,
    b"<" * 5_000,
    b"<a>" * 5_000,
    b'{"a":' * 5_000,
    b"- " * 5_000,
    b"? " * 500,
    b"&a *a",
    b"!!python/object/apply:os.system [true]",
    b'<!DOCTYPE a [<!ENTITY x "y"><!ENTITY z "&x;&x;">]>',
    b'<?xml version="1.0" encoding="no-such-code"?>',
    b'"' * 99,
    b"\xef\xbb\xbf",
    b"1" * 5_000,
)


def mutate(rng: random.Random, content: bytes) -> tuple[str, bytes]:
    """Return the kinds of damage, and the damaged content."""
    kinds = rng.choices(sorted(MUTATIONS), k=rng.choice((1, 1, 1, 2, 3)))
    for kind in kinds:
        content = MUTATIONS[kind](rng, content)
    return ", ".join(kinds), content


def _flip(rng: random.Random, content: bytes) -> bytes:
    damaged = bytearray(content)
    for _ in range(rng.choice((1, 1, 4, 64)) if damaged else 0):
        damaged[rng.randrange(len(damaged))] = rng.randrange(256)
    return bytes(damaged)


def _cut(rng: random.Random, content: bytes) -> bytes:
    return content[: rng.randint(0, len(content))]


def _headless(rng: random.Random, content: bytes) -> bytes:
    return content[rng.randint(0, min(len(content), 200)) :]


def _removed(rng: random.Random, content: bytes) -> bytes:
    start = rng.randint(0, len(content))
    return content[:start] + content[start + rng.choice((1, 8, 100)) :]


def _doubled(rng: random.Random, content: bytes) -> bytes:
    start = rng.randint(0, len(content))
    end = start + rng.choice((1, 20, 400))
    return content[:end] + content[start:end] * rng.choice((1, 2, 50)) + content[end:]


def _zeros(rng: random.Random, content: bytes) -> bytes:
    start = rng.randint(0, len(content))
    length = rng.choice((1, 8, 64))
    return content[:start] + bytes([rng.choice((0, 255))]) * length + content[start + length :]


def _exchanged(expression: re.Pattern[bytes], values: tuple[bytes, ...]) -> Mutation:
    def exchange(rng: random.Random, content: bytes) -> bytes:
        found = list(expression.finditer(content))
        if not found:
            return content
        chosen = rng.choice(found)
        return content[: chosen.start()] + rng.choice(values) + content[chosen.end() :]

    return exchange


def _line(rng: random.Random, content: bytes) -> bytes:
    lines = content.split(b"\n")
    lines.insert(rng.randint(0, len(lines)), rng.choice(_HOSTILE_LINES))
    return b"\n".join(lines)


def _lines_moved(rng: random.Random, content: bytes) -> bytes:
    lines = content.split(b"\n")
    rng.shuffle(lines)
    return b"\n".join(lines)


def _encoded(rng: random.Random, content: bytes) -> bytes:
    return content.decode("utf-8", "replace").encode(rng.choice(("utf-16", "latin-1", "utf-32", "utf-7")), "replace")


MUTATIONS: Mapping[str, Mutation] = {
    "bytes changed": _flip,
    "bytes removed": _removed,
    "cut short": _cut,
    "doubled": _doubled,
    "head removed": _headless,
    "hostile line": _line,
    "hostile number": _exchanged(_NUMBER, _HOSTILE_NUMBERS),
    "hostile value": _exchanged(_TEXT, _HOSTILE_TEXTS),
    "lines moved": _lines_moved,
    "other encoding": _encoded,
    "zeros": _zeros,
}
"""Every kind of damage by name."""
