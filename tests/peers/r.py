"""Packages of R: one Rscript process evaluates every case, and lives as long as this
one.
"""

import atexit
import subprocess
from collections.abc import Iterable
from functools import cache

from ._peer import Peer
from .inputs import Case

# Reads an expression a line, and answers its value in full precision or the message of
# its error.
LOOP = r"""
input <- file("stdin", "r")
options(warn = -1)
answer <- function(value) if (is.numeric(value)) sprintf("%a", value) else as.character(value)
while (length(line <- readLines(input, 1)) > 0) {
  text <- tryCatch(answer(eval(parse(text = line))), error = function(e) paste("error:", conditionMessage(e)))
  cat(gsub("\\s+", " ", text), "\n", sep = "")
  flush(stdout())
}
"""


@cache
def _process() -> subprocess.Popen[str]:
    """Return the R process, started once."""
    command = ["Rscript", "--vanilla", "-e", LOOP]
    process = subprocess.Popen(
        command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True, bufsize=1
    )
    atexit.register(process.communicate)  # ends the input, and with it the process
    return process


def _answer(expression: str) -> str:
    """Evaluate an R expression."""
    process = _process()
    print(expression, file=process.stdin)
    answer = process.stdout.readline().strip()
    if answer.startswith("error: "):
        raise RuntimeError(answer.removeprefix("error: "))
    return answer


def _value(expression: str) -> float:
    """Evaluate an R expression that is a number."""
    answer = _answer(expression)
    return float("nan") if answer == "NA" else float.fromhex(answer)


def _version(package: str) -> str:
    """Return the version of an R package."""
    try:
        return _answer(f'packageVersion("{package}")')
    except RuntimeError as error:
        raise ModuleNotFoundError(str(error)) from None


def _c(values: Iterable[float]) -> str:
    """Return an R vector, in hexadecimal: R may read a decimal fraction an ulp off."""
    return f"c({', '.join(float(value).hex() for value in values)})"


def _peer(call: str, package: str) -> Peer:
    """Return a peer that evaluates an R call of the scores s and the labels y."""

    def run(case: Case) -> float:
        return _value(f"{{s <- {_c(case.y_score)}; y <- {_c(case.y_true)}; {call}}}")

    return Peer(run, package, find_version=_version)


def _metrics_apk(case: Case) -> float:
    """Return Metrics' apk, or its mapk of several queries, of the documents by
    descending score.
    """
    n_missed = 0 if case.n_positives is None else case.n_positives - sum(case.y_true)
    query_id = case.query_id or ["query"] * len(case.y_true)
    actual, predicted = [], []
    for query in dict.fromkeys(query_id):
        rows = [row for row, of in enumerate(query_id) if of == query]
        relevant = [row for row in rows if case.y_true[row]]
        actual.append(_c([*relevant, *range(-n_missed, 0)]))
        predicted.append(_c(sorted(rows, key=case.y_score.__getitem__, reverse=True)))
    if case.query_id is None:
        return _value(f"Metrics::apk({case.k}, {actual[0]}, {predicted[0]})")
    return _value(
        f"Metrics::mapk({case.k}, list({', '.join(actual)}), list({', '.join(predicted)}))"
    )


PEERS: dict[str, Peer] = {
    "ROCR aucpr": _peer(
        'ROCR::performance(ROCR::prediction(s, y), "aucpr")@y.values[[1]]', "ROCR"
    ),
    "MLmetrics PRAUC": _peer("MLmetrics::PRAUC(s, y)", "MLmetrics"),
    "Metrics apk": Peer(
        _metrics_apk, "Metrics", queries=True, missed=True, find_version=_version
    ),
}
