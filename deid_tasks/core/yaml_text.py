"""YAML from files that people write: what a damaged or hostile one may do is raise one kind of error."""

from typing import Any

import yaml

_MAX_CHARACTERS = 4_000_000
_MAX_VALUES = 1_000_000
"""Values of a document, those that it repeats by aliases counted each time."""


def parse_yaml(text: str) -> Any:
    """Return the content of a YAML document: mappings, lists, texts, numbers and dates, and no other objects.

    Raises:
        ValueError: it is not YAML, or too long, too deep or too large. The text says what and at which line, and quotes
            no more of the document than a character, a tag or an alias.
    """
    if len(text) > _MAX_CHARACTERS:
        raise ValueError(f"it has more than {_MAX_CHARACTERS:,} characters")
    try:
        return _content(text)
    except yaml.MarkedYAMLError as error:
        mark = error.problem_mark or error.context_mark
        raise ValueError(f"{error.problem or error.context}{f' (line {mark.line + 1})' if mark else ''}") from None
    except yaml.YAMLError:
        raise ValueError("it has a character that YAML does not allow") from None
    except RecursionError:
        raise ValueError("it is nested too deeply") from None


def _content(text: str) -> Any:
    loader = yaml.SafeLoader(text)
    try:
        node = loader.get_single_node()
        if node is None:
            return None
        # Aliases cost nothing here. Whoever merges, shows or copies what they repeat would pay for each time.
        if _values_of(node, {}) > _MAX_VALUES:
            raise ValueError(f"its aliases repeat more than {_MAX_VALUES:,} values")
        return loader.construct_document(node)
    finally:
        loader.dispose()


def _values_of(node: yaml.Node, known: dict[int, int | None]) -> int:
    """Return the number of values in a node; raises ``ValueError`` where it holds itself."""
    key = id(node)
    if key in known:
        count = known[key]
        if count is None:
            raise ValueError(f"a list or mapping holds itself (line {node.start_mark.line + 1})")
        return count
    known[key] = None
    total = 1
    if isinstance(node, yaml.SequenceNode):
        total += sum(_values_of(one, known) for one in node.value)
    elif isinstance(node, yaml.MappingNode):
        total += sum(_values_of(one, known) for pair in node.value for one in pair)
    known[key] = total
    return total
