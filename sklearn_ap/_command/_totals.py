"""Totals of positives from a file of their own, which also names queries that have no row of scores."""

import argparse

from . import _files

__all__ = ["totals_of_file"]


def totals_of_file(
    options: argparse.Namespace, query: _files.Column
) -> tuple[_files.Column, dict[str, float]]:
    """Return the ids of the rows as text, and the total of each id.

    First come the ids of the rows, in the order of their first rows. Text is what the ids of two files have
    in common: one file may hold numbers where the other holds their digits.
    """
    files = _files.found([options.totals])
    names: dict[_files.Role, str] = {"query_id": options.query_id, "n_positives": options.n_positives}
    columns = _files.read(files, names, _files.counted(files), lambda *_: None)
    _files.queries(columns["query_id"])  # refuses ids that are missing
    stated = _files.totals(columns["n_positives"], columns["query_id"])
    assert isinstance(stated, dict)  # one per query
    others = {str(one): total for one, total in stated.items()}
    ids = list(map(str, query.coded.distinct))
    unknown = [one for one in ids if one not in others]
    if unknown:
        column, listed = _files.shown(options.query_id), _files.listed(unknown)
        raise _files.FileError(
            f"{files.name}: column {column} lacks {listed}, but {query.located.name} has rows of it: "
            "--totals needs a total for each query"
        )
    own = {one: others.pop(one) for one in ids}
    return query._replace(cells=_files.Coded(ids, query.coded.code)), own | others
