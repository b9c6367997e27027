"""Average precision of rows that `sklearn_ap._rows` reads: gathered, or pass by pass."""

from sklearn_ap import average_precision_score
from sklearn_ap._rows.batches import concatenate
from sklearn_ap._rows.local import open_local
from sklearn_ap._rows.roles import Roles

FITS, EXCEEDS = 10**9, 1  # limits of memory


def rows_in(data, *, limit=FITS, y_true="label", y_score="score", **columns):
    """Return the arguments of a score of all rows."""
    source = open_local(data, Roles(y_true, y_score, **columns), limit)
    rows = source.gather()
    if rows is None:
        reader, batches = source.next_pass()
        rows = reader.with_typed_ids(concatenate([*batches]))
    return {
        "y_true": rows.positive,
        "y_score": rows.score,
        "sample_weight": rows.weight,
        "query_id": rows.query,
    }


def score(data, **options):
    return average_precision_score(**rows_in(data, **options))


def missing_words(message, words):
    """Return the words, separated by " ... ", that a message does not contain."""
    return [word for word in words.split(" ... ") if word not in message]
