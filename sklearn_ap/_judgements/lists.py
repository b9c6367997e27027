"""Lists of relevant and of retrieved ids, as arguments that every score accepts."""

from collections.abc import Iterable, Mapping, Sequence, Set
from contextlib import suppress
from dataclasses import dataclass
from itertools import chain
from typing import Any

import numpy as np

from .._core.reading.ids import check_exact
from .._core.reading.options import is_finite, short_repr
from .._core.reading.values import is_missing
from .._core.typing import BoolArray, IntArray

# The usual types of ids, which need no check of each id.
_PLAIN = {str, int}
# What the number of an id in a mapping is, for each argument.
_WORD_FOR_NUMBER = {"relevant": "relevance", "retrieved": "score"}


@dataclass(frozen=True, eq=False, repr=False)
class RankedLists:
    """The arguments of a score for lists of ids; the result of `read_lists`.

    A score takes them as ``**lists``.

    Parameters
    ----------
    y_true : ndarray of bool, shape (n_retrieved,)
        Whether each retrieved id is relevant.

    y_score : ndarray of int, shape (n_retrieved,)
        Place of each id from the end of its list, beginning with 1, so that the best
        id has the highest score.

    query_id : ndarray of int, or list, of length n_retrieved
        Query of each id.

    n_positives : dict
        Number of relevant ids of each query, retrieved or missed; 0 if no id is
        relevant. Queries without retrieved ids are included, so that scores count them.

    Examples
    --------
    >>> from sklearn_ap import average_precision_score, read_lists
    >>> lists = read_lists({"q": ["d1", "d2"]}, {"q": ["d3", "d1"]})
    >>> average_precision_score(**lists)
    0.25
    >>> lists
    RankedLists(n_retrieved=2, n_relevant=2, n_queries=1)
    """

    y_true: BoolArray
    y_score: IntArray
    query_id: IntArray | list[Any]
    n_positives: dict[Any, float]

    def keys(self) -> tuple[str, ...]:
        """Return the names of the arguments.

        Returns
        -------
        names : tuple of str
            Python reads them for ``**lists``.
        """
        return tuple(vars(self))

    def __getitem__(self, name: str) -> Any:
        """Return the argument of this name. Raise KeyError if there is none."""
        return vars(self)[name]

    def __repr__(self) -> str:
        """Return a line with the sizes, since there may be thousands of ids."""
        return (
            f"RankedLists(n_retrieved={self.y_true.size}, "
            f"n_relevant={sum(self.n_positives.values()):.0f}, "
            f"n_queries={len(self.n_positives)})"
        )


def read_lists(
    relevant: Mapping[Any, Iterable[Any]] | Iterable[Iterable[Any]],
    retrieved: Mapping[Any, Iterable[Any]] | Iterable[Iterable[Any]],
) -> RankedLists:
    """Read lists of relevant and of retrieved ids, as arguments of every score.

    Parameters
    ----------
    relevant : sequence, Series or mapping of iterables or mappings
        The relevant ids of each query: one list, tuple, array, Series or set per query,
        or ``{query: ids}``. In place of ids, also relevance levels, ``{id: level}``;
        ids with a level of at least 1 are relevant. Repeated ids have no effect. A list
        that was filled up with -1 or empty texts is an error: drop them.

    retrieved : sequence, Series or mapping of sequences or mappings
        The retrieved ids of each query, the best first, or ``{id: score}``. A query
        without retrieved ids scores 0. A query that is not in `relevant` is dropped. A
        repeated id counts at its first place; as in ``mapk`` [1]_, the other places
        remain as rows that are not relevant.

    Returns
    -------
    lists : RankedLists
        The arguments of a score, as ``**lists`` and as fields: the rows in `y_true`,
        `y_score` and `query_id`, list by list and the best id first, and the numbers of
        relevant ids in `n_positives`. The keys of a mapping, and the index of a Series,
        are the ids of queries; in other cases, queries are numbered from 0.

    Raises
    ------
    ValueError
        If an argument is a data frame, if two sequences have different lengths, if only
        one of both names its queries, if retrieved ids have no order (a set), if a
        value is not an id, if ids have two types, such as 1 and "1", if the type of an
        id may have rounded it, or if nothing is retrieved.
    TypeError
        If `relevant` or `retrieved` contains no lists, as None.

    See Also
    --------
    score_by_query : The score of each query.

    References
    ----------
    .. [1] `apk and mapk <https://github.com/benhamner/Metrics>`_ of B. Hamner's
       Metrics, which take the same lists.

    Examples
    --------
    >>> from sklearn_ap import average_precision_at_k_score, read_lists
    >>> lists = read_lists([["a", "b"]], [["x", "a"]])
    >>> lists.y_true, lists.n_positives
    (array([False,  True]), {0: 2.0})
    >>> average_precision_at_k_score(**lists, k=10)
    0.25
    """
    judged = _by_query("relevant", relevant)
    ranked = _by_query("retrieved", retrieved)
    # The queries of a sequence, and of a Series with the default index, are numbered
    # from 0. The queries of the other argument must then have the same numbers as ids.
    are_numbered = any(
        not isinstance(lists, Mapping) and [*queries] == [*range(len(queries))]
        for lists, queries in ((relevant, judged), (retrieved, ranked))
    )
    if are_numbered and judged.keys() != ranked.keys():
        raise ValueError(
            "relevant and retrieved must have one list for each query, in the same "
            "order, or both must be dictionaries of lists by query id; got the queries "
            f"{short_repr([*judged])} and {short_repr([*ranked])}."
        )
    judged = {query: _listed("relevant", query, ids) for query, ids in judged.items()}
    ranked = {query: _listed("retrieved", query, ids) for query, ids in ranked.items()}
    documents = [*chain(*judged.values(), *ranked.values())]
    for what, ids in (("query", [*judged, *ranked]), ("document", documents)):
        _check_types(what, ids)
        check_exact(ids, "relevant and retrieved")
    return _rows_of(judged, ranked, are_numbered=are_numbered)


def _rows_of(
    judged: Mapping[Any, Iterable[Any]],
    ranked: Mapping[Any, Sequence[Any]],
    *,
    are_numbered: bool,
) -> RankedLists:
    """Return the rows of retrieved ids, the best one first. If `are_numbered`, the
    ids of queries are their numbers in the order of `judged`, otherwise its keys.

    `n_positives` contains all judged queries: if queries without retrieved ids were
    dropped, a system could raise its mean by retrieving none for a difficult query.

    No set or dictionary of a query outlives its turn: many of them would make Python's
    garbage collector run, which takes longer than all else.
    """
    totals = dict[Any, float]()
    y_true = list[bool]()
    retrieved = [ranked.get(query, ()) for query in judged]
    for (query, listed), ids in zip(judged.items(), retrieved, strict=True):
        relevant = {*listed}
        totals[query] = float(len(relevant))
        # An id that occurs twice counts at its first place.
        for id_ in ids:
            y_true.append(id_ in relevant)
            relevant.discard(id_)
    if not y_true:
        raise ValueError("retrieved must have an id for a query of relevant; got none.")
    sizes = np.array([*map(len, retrieved)])
    # In each list, the scores end with 1.
    y_score = np.repeat(sizes.cumsum(), sizes) - np.arange(len(y_true))
    query_id: Any = np.repeat(np.arange(sizes.size), sizes)
    if not are_numbered:
        names = [*judged]
        query_id = [names[place] for place in query_id]
    return RankedLists(np.array(y_true), y_score, query_id, totals)


def _by_query(name: str, lists: Any) -> dict[Any, Any]:
    """Return the ids of each query. Queries without names are numbered."""
    if hasattr(lists, "columns"):
        raise ValueError(
            f"{name} must have one list per query; got a frame with the columns "
            f"{short_repr([*lists.columns])}. Of a frame with one row per query and "
            f"document, pass {{q: dict(zip(g.doc, g.{_WORD_FOR_NUMBER[name]})) for q, "
            "g in frame.groupby('query')}."
        )
    if hasattr(lists, "items"):
        queries = dict(lists.items())
        # The index of a Series may contain a query twice.
        if len(queries) < len(lists):
            raise ValueError(
                f"{name} must have one list per query; got {short_repr(lists)}."
            )
        return queries
    # The letters of a path are no lists.
    if not isinstance(lists, str | bytes):
        with suppress(TypeError):
            return dict(enumerate(lists))
    raise TypeError(
        f"{name} must be a sequence, Series or mapping of lists, one per query, which "
        "the functions of the page Retrieval read from files of TREC; got "
        f"{short_repr(lists)}."
    )


def _listed(name: str, query: Any, ids: Any) -> list[Any]:
    """Return the ids in the list of a query, or in its mapping: the relevant ids, or
    the retrieved ids with the best one first.

    Raise ValueError if retrieved ids have no order, or if a value is not an id, a
    relevance level or a score.
    """
    no_lists = (str, bytes) if name == "relevant" else (str, bytes, Set)
    listed: list[Any] = []
    wrong = [ids]
    if isinstance(ids, Iterable) and not isinstance(ids, no_lists):
        # `tolist` of an array returns objects of Python.
        listed = ids.tolist() if hasattr(ids, "tolist") else [*ids]
        wrong = [x for x in listed if type(x) not in _PLAIN and not _is_id(x)]
    if wrong:
        raise ValueError(
            f"{name} must contain a list of ids for each query, the best first, or a "
            f"mapping {{id: {_WORD_FOR_NUMBER[name]}}}; got {short_repr(wrong[0])} in "
            f"query {query!r}."
        )
    if not isinstance(ids, Mapping):
        # A set is not filled up.
        if name == "relevant" and listed and not isinstance(ids, Set):
            _check_end(query, listed)
        return listed
    for number in ids.values():
        is_valid = is_finite(number) or isinstance(number, bool | np.bool_)
        if not is_valid or (name == "relevant" and number % 1):
            raise ValueError(
                f"{name} must contain finite numbers, and integers as relevance; got "
                f"{short_repr(number)} in query {query!r}."
            )
    if name == "relevant":
        return [id_ for id_ in listed if ids[id_] >= 1]
    # As in trec_eval, compare the scores in float32, where large ones are infinite, and
    # equal scores by descending id.
    with np.errstate(over="ignore"):
        listed.sort(key=lambda id_: (float(np.float32(ids[id_])), str(id_)))
    return listed[::-1]


def _check_end(query: Any, ids: list[Any]) -> None:
    """Raise ValueError if relevant ids end with -1 or an empty text, with which other
    packages fill up a table of lists. They would match those of a retrieved list.
    """
    last = ids[-1]
    if str(last) not in ("-1", "-1.0", ""):
        return
    # Among other negative ids, -1 is an id.
    if not any(str(id_).startswith("-") for id_ in {*ids} - {last}):
        raise ValueError(
            f"relevant is filled up; drop {last!r}, which is not an id; got "
            f"{short_repr(ids)} in query {query!r}."
        )


def _is_id(value: Any) -> bool:
    """Whether a value may be an id. Lists, bools, fractions and missing values are not
    ids.
    """
    return isinstance(value, str) or not (
        isinstance(value, (bool, np.bool_, Iterable))
        or is_missing(value)
        or (isinstance(value, (float, np.floating)) and value % 1)
    )


def _check_types(what: str, ids: list[Any]) -> None:
    """Raise ValueError if ids differ in type only, such as 1 and "1": they would never
    match.
    """
    # Usually, all ids have the same type.
    types = set(map(type, ids))
    if len(types) < 2:
        return
    if np.datetime64 in types:
        raise ValueError(f"{what} ids must have one type; got {short_repr(ids)}.")
    known = {*ids}
    for id_ in ids:
        # pandas stores integers as floats in a column with missing values.
        text = str(id_).removesuffix(".0")
        if not isinstance(id_, str) and text in known:
            raise ValueError(
                f"{what} ids must have one type; got {id_!r} next to {text!r}: write "
                f"{text!r} in both places."
            )
