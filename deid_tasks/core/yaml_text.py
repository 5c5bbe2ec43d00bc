"""YAML from files that people write: what a damaged or hostile one may do is raise one kind of error."""

from typing import Any

import yaml

_MAX_PAIRS = 10_000
"""Keys of one mapping, those that it merges from others included."""
_MAX_CHARACTERS = 4_000_000


class _Loader(yaml.SafeLoader):
    """The safe loader, whose mappings cannot grow without bound by merging others (``<<``)."""

    def flatten_mapping(self, node: yaml.MappingNode) -> None:
        super().flatten_mapping(node)
        if len(node.value) > _MAX_PAIRS:
            raise yaml.constructor.ConstructorError(
                None, None, f"a mapping has more than {_MAX_PAIRS:,} keys", node.start_mark
            )


def parse_yaml(text: str) -> Any:
    """Return the content of a YAML document: mappings, lists, texts, numbers and dates, and no other objects.

    Raises:
        ValueError: it is not YAML, or too long, too deep or too large. The text says what and at which line, and quotes
            no more of the document than a character, a tag or an alias.
    """
    if len(text) > _MAX_CHARACTERS:
        raise ValueError(f"it has more than {_MAX_CHARACTERS:,} characters")
    try:
        return yaml.load(text, Loader=_Loader)  # noqa: S506 - a subclass of the safe loader
    except yaml.MarkedYAMLError as error:
        mark = error.problem_mark or error.context_mark
        raise ValueError(f"{error.problem or error.context}{f' (line {mark.line + 1})' if mark else ''}") from None
    except yaml.YAMLError:
        raise ValueError("it has a character that YAML does not allow") from None
    except RecursionError:
        raise ValueError("it is nested too deeply") from None
