"""The error of the simulated hospital."""

from deid_tasks.core.errors import DeidError


class SkeletonError(DeidError):
    """A skeleton or phrase file breaks the grammar; the text names file, line and reason."""
