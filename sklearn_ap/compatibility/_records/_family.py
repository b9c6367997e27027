"""The numbers of sklearn_ap itself."""

from typing import Any

from .._convention import Convention, Grid

__all__ = ["FAMILY"]


# Our scores take the mean over queries and accept `n_positives`; some records below differ.
def _ours(name: str, source: str, **choices: Any) -> Convention:
    return Convention(name=name, source=source, run=True, **{"queries": "mean", "total": "stated", **choices})


_ELEVEN = Grid("11 levels j/10", 11)
_AT_K = "average_precision_at_k_score"

FAMILY = (
    _ours("average precision", "average_precision_score"),
    _ours("interpolated, all recalls", "interpolated_average_precision_score", area="interpolated"),
    _ours(
        "interpolated, 101 levels",
        "interpolated_average_precision_score(recall_levels=101)",
        area="interpolated",
        grid=Grid("101 levels j/100", 101),
    ),
    _ours("eleven-point", "eleven_point_average_precision_score", area="interpolated", grid=_ELEVEN),
    _ours("PR AUC, linear", "pr_auc_score", area="linear", total="found"),
    _ours(
        "PR AUC, Davis-Goadrich",
        "pr_auc_score(interpolation='davis-goadrich')",
        area="davis-goadrich",
        total="found",
    ),
    _ours("AP@k over min(k, R)", _AT_K, cut="k", normalizer="min"),
    _ours("AP@k over R", f"{_AT_K}(normalizer='n_positives')", cut="k"),
    _ours("AP@k over k", f"{_AT_K}(normalizer='k')", cut="k", normalizer="k"),
    _ours("AP@k over hits", f"{_AT_K}(normalizer='hits')", cut="k", normalizer="hits"),
    *(
        _ours(f"AP@k, {ties} ties", f"{_AT_K}(ties='{ties}')", ties=ties, cut="k", normalizer="min")
        for ties in ("expected", "stable", "optimistic", "pessimistic")
    ),
    _ours("precision@k", "precision_at_k_score", area="hits", cut="k", normalizer="k", total="found"),
    _ours("recall@k", "recall_at_k_score", area="hits", cut="k"),
    _ours("R-precision", "r_precision_score", area="hits", cut="n_positives"),
)
