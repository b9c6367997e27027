"""Packages of R: one Rscript evaluates each case."""

import subprocess

from ._peer import Peer
from .retrieval import peer_of_queries


def _evaluated(expression):
    """Return what R prints of an expression, or raise its error."""
    error = "function(e) paste('error:', conditionMessage(e))"
    script = f"options(warn=-1)\ncat(tryCatch({expression}, error={error}))"
    command = ["Rscript", "--vanilla", "-"]
    answer = subprocess.check_output(command, input=script, text=True)
    printed = " ".join(answer.split())
    if printed.startswith("error: "):
        raise RuntimeError(printed.removeprefix("error: "))
    return printed


def _number(expression):
    """Evaluate a number in hexadecimal: a decimal fraction may be an ulp off."""
    printed = _evaluated(f"sprintf('%a', {expression})")
    return float("nan") if printed == "NA" else float.fromhex(printed)


def _version(package):
    """Return the version of an R package."""
    return _evaluated(f"as.character(packageVersion('{package}'))")


def _c(values):
    """Return an R vector of numbers or texts."""
    return f"c({', '.join(map(str, values))})"


def _peer(call, package):
    """Return a peer that evaluates an R call of the scores s and the labels y."""

    def run(case):
        scores = _c(float(score).hex() for score in case.y_score)
        return _number(f"{{s <- {scores}; y <- {_c(case.y_true)}; {call}}}")

    return Peer(run, package, find_version=_version)


def _mapk(queries, k):
    """Return mapk of Metrics: the mean of its apk."""
    of_queries = queries.values()
    actual = ", ".join(_c(map(repr, query.relevant)) for query in of_queries)
    predicted = ", ".join(_c(map(repr, query.ranked)) for query in of_queries)
    return _number(f"Metrics::mapk({k}, list({actual}), list({predicted}))")


PEERS: dict[str, Peer] = {
    "ROCR aucpr": _peer(
        'ROCR::performance(ROCR::prediction(s, y), "aucpr")@y.values[[1]]', "ROCR"
    ),
    "MLmetrics PRAUC": _peer("MLmetrics::PRAUC(s, y)", "MLmetrics"),
    "Metrics apk": peer_of_queries(_mapk, "Metrics")._replace(find_version=_version),
}
