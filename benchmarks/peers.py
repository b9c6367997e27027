"""Other packages that compute an average precision, each in its own best input form.

Building that form is timed separately. The table says which packages are not installed.
"""

import time
from collections.abc import Callable
from functools import partial
from typing import Any, NamedTuple

import numpy as np

import sklearn_ap

from .measure import one_at_a_time, side_by_side

Prepared = Callable[[], Any]


class Peer(NamedTuple):
    """How to build a peer's input, and the call to time; both fail if the peer is not installed."""

    name: str
    prepare: Callable[..., Prepared]  # imports the package; the import is not timed
    ours: Callable[..., float]


def torchmetrics(y_true: np.ndarray, y_score: np.ndarray) -> Prepared:
    """Tensors."""
    import torch
    from torchmetrics.functional.classification import binary_average_precision

    score, label = torch.from_numpy(y_score), torch.from_numpy(y_true)
    return lambda: float(binary_average_precision(score, label, validate_args=False))


def torcheval(y_true: np.ndarray, y_score: np.ndarray) -> Prepared:
    """Tensors."""
    import torch
    from torcheval.metrics.functional import binary_auprc

    score, label = torch.from_numpy(y_score), torch.from_numpy(y_true)
    return lambda: float(binary_auprc(score, label))


def xgboost(y_true: np.ndarray, y_score: np.ndarray) -> Prepared:
    """A DMatrix whose margins are the scores, and a booster without trees."""
    import xgboost

    rows = xgboost.DMatrix(np.zeros((y_true.size, 1)), label=y_true, base_margin=y_score)
    settings = {"objective": "binary:logitraw", "eval_metric": "aucpr", "base_score": 0.0, "nthread": 1}
    booster = xgboost.train(settings, rows, num_boost_round=0)
    return lambda: float(booster.eval(rows).rsplit(":", 1)[1])


def polars(y_true: np.ndarray, y_score: np.ndarray) -> Prepared:
    """A data frame, and one lazy query."""
    import polars as pl

    frame = pl.DataFrame({"label": y_true, "score": y_score})
    groups = frame.lazy().group_by("score").agg(pl.sum("label").alias("gained"), pl.len().alias("rows"))
    tp, retrieved = pl.col("gained").cum_sum(), pl.col("rows").cum_sum()
    area = (pl.col("gained") * tp / retrieved).sum() / pl.sum("gained")
    query = groups.sort("score", descending=True).select(area)
    return lambda: float(query.collect().item())


def duckdb(y_true: np.ndarray, y_score: np.ndarray) -> Prepared:
    """A table in memory, and one SQL query."""
    import duckdb

    connection = duckdb.connect(config={"threads": 1})
    connection.execute(
        "create table rows as select unnest($1) as label, unnest($2) as score", [y_true, y_score]
    )
    query = """
        select sum(gained * tp / retrieved) / sum(gained) from (
            select gained, sum(gained) over best tp, sum(n) over best retrieved
            from (select sum(label) gained, count(*) n, score from rows group by score)
            window best as (order by score desc))
    """
    return lambda: float(connection.execute(query).fetchone()[0])


def ranx(y_true: np.ndarray, y_score: np.ndarray, query: np.ndarray) -> Prepared:
    """A Qrels and a Run."""
    from ranx import Qrels, Run, evaluate

    relevant, run = by_query(y_true, y_score, query)
    relevant, run = Qrels(relevant), Run(run)
    return lambda: float(evaluate(relevant, run, "map", threads=1))


def pytrec_eval(y_true: np.ndarray, y_score: np.ndarray, query: np.ndarray) -> Prepared:
    """Dictionaries of dictionaries."""
    import pytrec_eval

    relevant, run = by_query(y_true, y_score, query)
    evaluator = pytrec_eval.RelevanceEvaluator(relevant, {"map"})
    return lambda: float(np.mean([one["map"] for one in evaluator.evaluate(run).values()]))


def by_query(y_true: np.ndarray, y_score: np.ndarray, query: np.ndarray) -> tuple[dict, dict]:
    """Return the labels and the scores as {query: {document: value}}."""
    relevant: dict[str, dict] = {}
    run: dict[str, dict] = {}
    rows = zip(query.tolist(), y_true.tolist(), y_score.tolist(), strict=True)
    for document, (name, label, score) in enumerate(rows):
        relevant.setdefault(str(name), {})[str(document)] = label
        run.setdefault(str(name), {})[str(document)] = score
    return relevant, run


def ours_by_query(y_true: np.ndarray, y_score: np.ndarray, query: np.ndarray) -> float:
    """The mean over queries; every query of the benchmark has a positive."""
    return sklearn_ap.average_precision_score(y_true, y_score, query_id=query)


def ours_davis_goadrich(y_true: np.ndarray, y_score: np.ndarray) -> float:
    """The area that XGBoost calls aucpr."""
    return sklearn_ap.pr_auc_score(y_true, y_score, interpolation="davis-goadrich")


PEERS = (
    Peer("torchmetrics, binary_average_precision", torchmetrics, sklearn_ap.average_precision_score),
    Peer("torcheval, binary_auprc", torcheval, sklearn_ap.average_precision_score),
    Peer("xgboost, aucpr", xgboost, ours_davis_goadrich),
    Peer("polars, a lazy query", polars, sklearn_ap.average_precision_score),
    Peer("duckdb, an SQL query", duckdb, sklearn_ap.average_precision_score),
    Peer("ranx, map", ranx, ours_by_query),
    Peer("pytrec_eval, map", pytrec_eval, ours_by_query),
)


def rows(*, seconds: float) -> list[list[str]]:
    """Return one row per peer: the times of the peer and of ours, and the difference of the two numbers."""
    rng = np.random.default_rng(0)
    binary = _binary(rng, 1_000_000)
    length = rng.integers(20, 101, 10_000)
    query = np.repeat(np.arange(length.size), length)
    label = (rng.random(query.size) < 0.2).astype(int)
    label[np.cumsum(length) - 1] = 1
    ranked = label, rng.permutation(query.size) / 2.0**24, query
    table = []
    for peer in PEERS:
        given = ranked if peer.ours is ours_by_query else binary
        if not _is_installed(peer, given):
            table.append([peer.name, *["not installed"] * 5])
            continue
        begin = time.perf_counter()
        theirs = peer.prepare(*given)
        building = time.perf_counter() - begin
        ours = partial(peer.ours, *given)
        times = side_by_side({"theirs": theirs, "ours": ours}, seconds=seconds, clock="perf_counter")
        table.append(
            [
                peer.name,
                f"{building * 1e3:,.0f} ms",
                f"{times['theirs'] * 1e3:,.1f} ms",
                f"{times['ours'] * 1e3:,.1f} ms",
                f"{times['theirs'] / times['ours']:,.1f}",
                f"{abs(theirs() - ours()):.0e}",
            ]
        )
    return table


def short_rows(*, seconds: float) -> list[list[str]]:
    """Return one row per peer and number of samples: a short call in a loop, and among other work."""
    table = []
    for peer in PEERS:
        if peer.ours is ours_by_query:
            continue
        for size in (100, 1_000):
            given = _binary(np.random.default_rng(0), size)
            if not _is_installed(peer, given):
                table.append([peer.name, f"{size:,}", *["not installed"] * 4])
                continue
            calls = {"theirs": peer.prepare(*given), "ours": partial(peer.ours, *given)}
            looped = side_by_side(calls, seconds=seconds, clock="perf_counter")
            alone = one_at_a_time(calls, seconds=seconds, clock="perf_counter")
            table.append(
                [
                    peer.name,
                    f"{size:,}",
                    *(f"{times[name] * 1e6:,.0f}" for name in calls for times in (looped, alone)),
                ]
            )
    return table


def _binary(rng: np.random.Generator, size: int) -> tuple[np.ndarray, np.ndarray]:
    """Labels, and scores that float32 holds exactly: some peers compute in float32."""
    return (rng.random(size) < 0.5).astype(int), rng.random(size, dtype=np.float32).astype(float)


def _is_installed(peer: Peer, given: tuple[np.ndarray, ...]) -> bool:
    """Try a short call first, so that no import is timed."""
    try:
        peer.prepare(*(array[:100] for array in given))()
    except ImportError:
        return False
    return True
