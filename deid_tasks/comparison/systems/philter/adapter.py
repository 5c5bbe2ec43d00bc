"""Philter with the configuration philter_delta, as the package philter-lite carries both.

Philter keeps what it knows to be safe: every other word is an identifier. NLTK's tagger comes from the package
textblob-aptagger, because NLTK downloads its own at run time.
"""

import importlib.util
import pickle
import re
from collections.abc import Mapping, Sequence
from importlib.metadata import version
from pathlib import Path
from typing import Any

import nltk.tag
import philter_lite
from nltk.tag.perceptron import PerceptronTagger

from deid_tasks.comparison.protocol import SystemNote, SystemSpan, checked_options, serve

_WORD = re.compile(r"[A-Za-z0-9]+")


class PhilterSystem:
    """philter-lite. No options."""

    name = "philter"
    window = 1

    def __init__(self, options: Mapping[str, Any]) -> None:
        checked_options(options)
        tagger = _tagger()
        nltk.tag._get_tagger = lambda lang=None: tagger  # noqa: ARG005 (NLTK's signature)
        filters = Path(philter_lite.__file__).parent / "configs" / "philter_delta.toml"
        self._filters = philter_lite.load_filters(str(filters))
        self.version = f"{version('philter-lite')} philter_delta, nltk {version('nltk')}"
        self.find(SystemNote("", "Seen by Dr. Maria Okafor on 3/14/2021, tel 617-555-0123."))

    def find(self, note: SystemNote) -> Sequence[SystemSpan]:
        """Return each word that Philter does not know to be safe, as its asterisk output hides them."""
        safe, _, tracker = philter_lite.detect_phi(note.text, patterns=self._filters)
        kept = bytearray(len(note.text))
        for start, end in safe.filecoords():
            kept[start:end] = b"\1" * (end - start)
        labels = {position: one.phi_type for one in tracker.phi for position in range(one.start, one.stop)}
        hidden = [word.span() for word in _WORD.finditer(note.text) if not all(kept[word.start() : word.end()])]
        return [SystemSpan(start, end, labels.get(start, "OTHER")) for start, end in hidden]


class _PlainValues(pickle.Unpickler):  # noqa: S301 (what it may make is limited below)
    """Reads dicts, sets, texts and numbers, and runs nothing else that the file names."""

    def find_class(self, module_name: str, global_name: str, /) -> Any:
        if global_name != "set" or module_name not in {"builtins", "__builtin__"}:
            raise pickle.UnpicklingError(f"the tagger's file names {module_name}.{global_name}")
        return set


def _tagger() -> PerceptronTagger:
    """Return NLTK's tagger with the weights of textblob-aptagger, which needs no import of that package."""
    package = importlib.util.find_spec("textblob_aptagger")
    if package is None or not package.submodule_search_locations:
        raise ModuleNotFoundError("textblob_aptagger")
    path = Path(package.submodule_search_locations[0]) / "trontagger-0.1.0.pickle"
    tagger = PerceptronTagger(load=False)
    with path.open("rb") as stream:
        tagger.model.weights, tagger.tagdict, tagger.classes = _PlainValues(stream).load()
    tagger.model.classes = tagger.classes
    return tagger


if __name__ == "__main__":
    serve(PhilterSystem)
