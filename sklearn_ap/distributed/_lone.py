"""The rows of a caller who asks for more than a number: one ranking, without weights and queries."""

from typing import Any

from ._asking import Rows, job_of
from ._plans._job import Job

__all__ = ["lone_job"]


def lone_job(rows: Rows) -> Job:
    """Find the rows, which have one column of labels and one of scores."""
    for name, given in (("y_true", rows.y_true), ("y_score", rows.y_score)):
        if not (isinstance(given, str) or _is_collection(given)):
            raise TypeError(
                f"{name} must be the name of one column, such as {_EXAMPLES[name]!r}; got {given!r}."
            )
    return job_of(rows)


_EXAMPLES = {"y_true": "label", "y_score": "score"}


def _is_collection(given: Any) -> bool:
    return hasattr(given, "__dask_graph__")
