"""Surnames with diacritical marks, and what follows a particle such as van or de la."""

from deid_tasks.engine.obfuscate.word_lists import read_grouped_list

PARTICLE_LANGUAGE = {
    **dict.fromkeys(("van", "van der", "van den", "van de", "vd", "ter", "ten"), "dutch"),
    **dict.fromkeys(("de la", "de las", "de los", "del", "la", "las", "los"), "spanish"),
    **dict.fromkeys(("al", "el", "bin", "ibn", "bint", "abu"), "arabic"),
    **dict.fromkeys(("von", "von der", "zu", "von und zu", "den", "der"), "german"),
    **dict.fromkeys(("ni", "nic", "ui", "mhic"), "irish woman"),
    "o": "irish man",
    **dict.fromkeys(("mac giolla", "nic giolla"), "irish saint"),
    **dict.fromkeys(("te",), "maori"),
    **dict.fromkeys(("de", "da", "di", "do", "dos", "das", "du", "le"), "romance"),
}
"""Particles, folded, and the language of the names that follow them."""


def marked_surnames() -> dict[str, tuple[str, ...]]:
    """Return surnames with diacritical marks by Census group."""
    return read_grouped_list("people/marked_surnames.tsv")


def particle_stems() -> dict[str, tuple[str, ...]]:
    """Return what follows a particle in a surname, by the language of the particle."""
    return read_grouped_list("people/particle_stems.tsv")
