"""Read literature from disk: files of the PubMed baseline, or any text."""

import gzip
import io
from collections.abc import Iterator
from pathlib import Path
from xml.etree import ElementTree

from deid_tasks.core.errors import InputError

_ARTICLE, _TEXTS = "PubmedArticle", ("ArticleTitle", "AbstractText")
_SUFFIXES = (".xml.gz", ".xml", ".txt.gz", ".txt")
_BLOCK_CHARACTERS = 1 << 20


def files_of(sources: list[Path]) -> list[Path]:
    """Return the files that are named, and those of the folders that are; raises ``InputError`` where one is missing
    or nothing is there.
    """
    found: list[Path] = []
    for source in sources:
        if source.is_dir():
            found += sorted(path for path in source.rglob("*") if path.name.endswith(_SUFFIXES))
        elif source.is_file():
            found.append(source)
        else:
            raise InputError(f"{source}: no such file or folder")
    if not found:
        raise InputError(f"no file that ends in {', '.join(_SUFFIXES)}")
    return found


def read_literature(path: Path) -> Iterator[tuple[bool, str]]:
    """``(begins a document, text)`` of one file, piece by piece: title and abstract of each article of the PubMed
    baseline (``.xml``, ``.xml.gz``), or a text file, which is one document.

    Raises ``InputError`` for a file that is cut off, no XML, or no UTF-8.
    """
    try:
        with gzip.open(path) if path.name.endswith(".gz") else path.open("rb") as stream:
            if path.name.removesuffix(".gz").endswith(".xml"):
                yield from _articles(stream)
            else:
                yield from _blocks(io.TextIOWrapper(stream, encoding="utf-8"))
    except ElementTree.ParseError as error:
        raise InputError(f"{path}: no valid XML at line {error.position[0]}") from None
    except UnicodeDecodeError:
        raise InputError(f"{path}: no valid UTF-8") from None
    except (OSError, EOFError) as error:
        raise InputError(f"{path}: cannot be read to its end: {type(error).__name__}") from None


def _articles(stream: gzip.GzipFile | io.BufferedReader) -> Iterator[tuple[bool, str]]:
    path: list[ElementTree.Element] = []
    for event, element in ElementTree.iterparse(stream, events=("start", "end")):  # noqa: S314 - expat bounds entities
        if event == "start":
            path.append(element)
            continue
        path.pop()
        if element.tag == _ARTICLE:
            begins = True
            for part in element.iter():
                if part.tag in _TEXTS:
                    yield begins, "".join(part.itertext())
                    begins = False
            element.clear()
            # Or the set would keep an empty element for every article.
            if path:
                path[-1].remove(element)


def _blocks(stream: io.TextIOWrapper) -> Iterator[tuple[bool, str]]:
    """Yield a text in pieces that end at white space; a line may be longer than memory."""
    begins, rest = True, ""
    while block := stream.read(_BLOCK_CHARACTERS):
        block = rest + block
        # No phrase reaches over the end of a line.
        cut = max(block.rfind("\n"), 0) or max(block.rfind(" "), 0) or len(block)
        yield begins, block[:cut]
        begins, rest = False, block[cut:]
    if rest or begins:
        yield begins, rest
