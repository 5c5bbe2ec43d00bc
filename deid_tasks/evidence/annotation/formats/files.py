"""Files of annotated notes: exact text in UTF-8, private to their owner, with errors that name the file and no text."""

from codecs import BOM_UTF8
from collections.abc import Iterable
from pathlib import Path
from urllib.parse import quote, unquote

from deid_tasks.core.errors import InputError

_MAX_STEM = 200


def read_text(path: Path) -> str:
    """Return a file's text with its line ends unchanged, without a byte order mark.

    Raises:
        InputError: It cannot be read or is not UTF-8.
    """
    try:
        return path.read_bytes().decode("utf-8-sig")
    except OSError as error:
        raise InputError(f"{path}: cannot be read: {error.strerror}") from None
    except UnicodeDecodeError as error:
        raise InputError(f"{path}: is not valid UTF-8 at byte {error.start}") from None


def has_byte_order_mark(path: Path) -> bool:
    """Whether a file that can be read begins with a byte order mark, which is no part of its text."""
    with path.open("rb") as stream:
        return stream.read(len(BOM_UTF8)) == BOM_UTF8


def write_text(path: Path, text: str) -> None:
    """Write a file as UTF-8 with line ends unchanged, readable by its owner alone; raises ``InputError`` on failure.

    A text that itself begins with U+FEFF gets a byte order mark in front, so that ``read_text`` returns it whole.
    """
    try:
        path.touch(mode=0o600)
        path.write_bytes(text.encode("utf-8-sig" if text.startswith("\ufeff") else "utf-8"))
    except OSError as error:
        raise InputError(f"{path}: cannot be written: {error.strerror}") from None
    except UnicodeEncodeError as error:
        raise InputError(f"{path}: character {error.start} is a lone surrogate, which UTF-8 cannot encode") from None


def write_lines(lines: Iterable[str], target: Path) -> int:
    """Write lines as UTF-8, streamed, readable by their owner alone; return their number."""
    count = 0
    try:
        target.touch(mode=0o600)
        with target.open("w", encoding="utf-8", newline="") as stream:
            for line in lines:
                stream.write(line)
                count += 1
    except OSError as error:
        raise InputError(f"{target}: cannot be written: {error.strerror}") from None
    except UnicodeEncodeError:
        raise InputError(f"{target}: a note holds a lone surrogate, which UTF-8 cannot encode") from None
    return count


def annotation_files(source: Path, suffix: str) -> list[Path]:
    """Return the files with ``suffix`` in a folder, or the one file given; raises ``InputError`` if ``source`` is
    neither.
    """
    if source.is_file():
        return [source]
    if not source.is_dir():
        raise InputError(f"{source}: is neither a file nor a folder")
    return sorted(path for path in source.rglob(f"*{suffix}") if not path.name.startswith("."))


def file_stem(note_id: str) -> str:
    """Return a file name for a note, from which ``note_id_of`` recovers the id, whatever characters it holds."""
    stem = quote(note_id, safe=" ")
    if stem.startswith("."):
        stem = f"%2E{stem[1:]}"
    if not 0 < len(stem) <= _MAX_STEM:
        raise InputError(
            f"a note id of {len(note_id)} characters cannot be a file name; choose a format with one file for all notes"
        )
    return stem


def folder_of(path: Path, source: Path) -> str:
    """Return the folders between a source and a file in it, such as ``train/a/``; empty for none."""
    return "" if path == source else "".join(f"{part}/" for part in path.relative_to(source).parent.parts)


def note_id_of(path: Path) -> str:
    """Return the id of the note that a file holds."""
    return unquote(path.stem)
