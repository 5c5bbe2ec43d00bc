"""Annotated notes in files: what annotation tools read and write, and what published corpora are distributed in.

``FORMATS`` maps a format's name in the settings and on the command line to its reader and writer. ``note`` defines the
note that all of them share, ``files`` reads and writes the files themselves, and every other module is one format.
"""

from collections.abc import Mapping
from types import MappingProxyType

from deid_tasks.evidence.annotation.formats.brat import Brat
from deid_tasks.evidence.annotation.formats.conll import Conll
from deid_tasks.evidence.annotation.formats.doccano import Doccano
from deid_tasks.evidence.annotation.formats.i2b2 import I2b2Of2006, I2b2Of2014
from deid_tasks.evidence.annotation.formats.jsonl import Jsonl
from deid_tasks.evidence.annotation.formats.label_studio import LabelStudio, labeling_config
from deid_tasks.evidence.annotation.formats.note import AnnotatedNote, AnnotationFormat, verify_text
from deid_tasks.evidence.annotation.formats.physionet import PhysioNet
from deid_tasks.evidence.annotation.formats.removal import remove_annotated_notes

__all__ = ["FORMATS", "AnnotatedNote", "AnnotationFormat", "labeling_config", "remove_annotated_notes", "verify_text"]

FORMATS: Mapping[str, AnnotationFormat] = MappingProxyType(
    {
        "jsonl": Jsonl(),
        "label-studio": LabelStudio(),
        "doccano": Doccano(),
        "brat": Brat(),
        "i2b2-2014": I2b2Of2014(),
        "i2b2-2006": I2b2Of2006(),
        "physionet": PhysioNet(),
        "conll": Conll(),
    }
)
