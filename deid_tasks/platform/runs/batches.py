"""Streams in batches of bounded size."""

from collections.abc import Iterable, Iterator
from itertools import islice
from typing import TypeVar

Item = TypeVar("Item")


def batched(items: Iterable[Item], size: int) -> Iterator[list[Item]]:
    """Yield the items in order, in lists of ``size``; the last one may be shorter."""
    stream = iter(items)
    while batch := list(islice(stream, size)):
        yield batch
