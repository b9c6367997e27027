"""Files of TREC, which contain judgements or a run, as text or gzip."""

import gzip
import re
import zlib
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any, NamedTuple

from .._shown.sources import SourceError, format_value

# The file and line of a row for errors, and its query, document, and relevance level or
# score.
Row = tuple[str, Any, Any, Any]
# Names of columns in lower case without punctuation. If a frame has several of these
# names, the column whose name is listed first contains the ids: in such a frame,
# `query` may be the text of a query, and `docid` of PyTerrier a position in its index.
_QUERIES = "queryid qid topicid topic query userid user"
_DOCUMENTS = "docno documentid docid corpusid passageid pid document doc itemid item"

# Advice in errors about values that are lists.
OF_LISTS = "; if each query has a list of ids, call sklearn_ap.read_lists"


class Kind(NamedTuple):
    """The layout of judgements or of runs."""

    # What errors call the number of a document: relevance or score.
    value: str
    # The values that are valid, for errors.
    valid_values: str
    # Names of the column of the value in frames, the preferred one first.
    names: str
    # The fields of a line, for errors, and their number.
    fields: str
    n_fields: int
    # The position of the value in a line. In both layouts, the query is the first field
    # and the document the third one.
    place: int
    is_run: bool


QRELS = Kind(
    value="relevance",
    valid_values="an integer",
    names="level relevance rel label grade score",
    fields="query, iteration, document, relevance",
    n_fields=4,
    place=3,
    is_run=False,
)
RUN = Kind(
    value="score",
    valid_values="a finite number",
    names="score",
    fields="query, Q0, document, rank, score, name",
    n_fields=6,
    place=4,
    is_run=True,
)


def rows_of_file(path: str, kind: Kind) -> Iterator[Row]:
    """Yield the rows of a file of TREC. Empty lines are ignored."""
    for number, line in enumerate(_text_of(path).split("\n"), 1):
        fields = line.split()
        if not fields:
            continue
        where = f"{format_value(path)}, line {number}"
        if kind.is_run:
            # As in trec_eval, the rest of a line after the name of the run has no
            # effect.
            del fields[kind.n_fields :]
        if len(fields) != kind.n_fields:
            raise SourceError(
                f"{where}: must have {kind.n_fields} fields: {kind.fields}; got "
                f"{len(fields)} (pass the judgements before the runs); for another "
                "layout, pass a frame, such as "
                f"pandas.read_csv(path)[[query, document, {kind.value}]]"
            )
        yield where, fields[0], fields[2], fields[kind.place]


def _text_of(path: str) -> str:
    """Return the text of a file, which may be compressed by gzip."""
    try:
        content = Path(path).read_bytes()
        if content.startswith(b"\x1f\x8b"):
            content = gzip.decompress(content)
        return content.decode("utf-8-sig")
    except (UnicodeDecodeError, EOFError, gzip.BadGzipFile, zlib.error) as error:
        raise SourceError(
            f"{format_value(path)}: is not text in UTF-8, plain or gzipped: {error}; for "
            "another format, pass a frame, such as pandas.read_parquet(path)"
        ) from None
    except OSError as error:
        raise SourceError(f"{format_value(path)}: {error.strerror}") from None


def known_columns(names: Sequence[Any], kind: Kind) -> list[Any]:
    """Return the columns of query, document and value by their names, or no columns if
    one of the three is missing.
    """
    plain = [re.sub(r"[\W_]", "", str(name).casefold()) for name in names]
    known = list[Any]()
    for preferred in (_QUERIES, _DOCUMENTS, kind.names):
        found = [plain.index(word) for word in preferred.split() if word in plain]
        known += [names[place] for place in found[:1]]
    return known if len(known) == 3 else []
