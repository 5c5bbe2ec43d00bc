"""Errors of the simulated hospital."""

from deid_tasks.core.errors import DeidError


class SkeletonError(DeidError):
    """A skeleton or phrase file breaks the grammar; the text names file, line and reason."""


class SlotError(ValueError):
    """The text of a slot is not one the grammar knows; the message is the reason."""
