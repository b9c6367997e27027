"""Average precision for scikit-learn: scores, scorers, intervals and thresholds.

Average precision (AP) measures how well a model ranks what you search for above the
rest:

>>> from sklearn_ap import average_precision_score
>>> average_precision_score([0, 0, 1, 1], [0.1, 0.4, 0.35, 0.8])
0.8333333333333333

The names of scores end in ``_score``, such as `average_precision_at_k_score`. With
`query_id`, they return the mean over queries, and `read_lists` makes such rows from
lists of ids. `estimate_score` and `compare_scores` compute confidence intervals,
`get_scorer` returns scorers for ``scoring=``, `operating_point` chooses a threshold,
and `report` writes a page.

In `compatibility`, `score_as` computes the numbers of other packages, and `identify`
finds the package that a number comes from. In `distributed`, `RankingState` scores rows
that do not fit into memory.
"""

# The names of the core come first. Each other subpackage has a paragraph with its
# public names, which can be deleted together with the subpackage. A module is only
# imported when one of its names is used, because all modules need scikit-learn, whose
# import takes a second.

import importlib as _importlib
import sys as _sys
import typing as _t

__version__ = "0.1.0"

# The module that defines each public name. A public module is its own module.
_MODULE_OF = dict[str, str]()


def _define_in(module: str) -> None:
    """Record this module as that of each name in `__all__` that has no module yet: the
    names that were added since the last call.
    """
    for name in __all__:
        _MODULE_OF.setdefault(name, module)


# What to write in place of names that users look for here, for the error about them:
# names of a public module, and of other packages. The keys are what to write, since
# many names have the same answer, and the values are these names, with spaces between
# them.
_INSTEAD = dict[str, str]()

# Tables whose names users may take for names of scores, each as a module and an object
# in it, and what to write in place of such a name. `_core/scorer_names` reads this when
# no score has a name, and puts the name in place of `{0!r}`.
_NAMED_ELSEWHERE = dict[tuple[str, str], str]()

# Type checkers must not see `__getattr__`, since they would then accept every misspelt
# name.
if not _t.TYPE_CHECKING:

    def __getattr__(name: str) -> object:
        """Import the module of a public name, and return the object with this name. The
        object is stored here for later uses.
        """
        if name not in _MODULE_OF:
            text = f"module {__name__!r} has no attribute {name!r}"
            # Most names of the table are in lower case, and have no ending of scores.
            asked = {name, name.lower().removesuffix("_score")}
            instead = [x for x, names in _INSTEAD.items() if asked & {*names.split()}]
            if f"{name}_score" in _MODULE_OF:
                instead.append(f"{name}_score")
            if instead:
                advice = f": write {', '.join(instead)}"
                text += advice
                # An import statement first asks by `hasattr` in this function, and
                # drops the text of an AttributeError, but not that of an ImportError.
                if _sys._getframe(1).f_code.co_name == "_handle_fromlist":
                    text = f"cannot import name {name!r} from {__name__!r}{advice}"
                    raise ImportError(text, name=__name__, path=__file__)
            raise AttributeError(text)
        found = module = _importlib.import_module(_MODULE_OF[name], __name__)
        if _MODULE_OF[name] != f".{name}":
            # A name that the module lacks raises an error.
            found = getattr(module, name)
        return globals().setdefault(name, found)


def __dir__() -> list[str]:
    """Return the public names, which `dir` sorts."""
    return list({*__all__, *_MODULE_OF})


# The core
if _t.TYPE_CHECKING:
    from ._core.by_query import score_by_query
    from ._core.chance import expected_by_chance
    from ._core.curves import (
        hit_curve,
        precision_recall_curve,
    )
    from ._core.scorer_names import get_scorer_names
    from ._core.scorers import get_scorer, make_scorer
    from ._core.scores import (
        average_precision_at_k_score,
        average_precision_score,
        eleven_point_average_precision_score,
        interpolated_average_precision_score,
        pr_auc_score,
        precision_at_k_score,
        precision_at_recall_score,
        r_precision_score,
        recall_at_k_score,
        recall_at_precision_score,
        reciprocal_rank_score,
        success_at_k_score,
    )
__all__ = [
    "average_precision_at_k_score",
    "average_precision_score",
    "eleven_point_average_precision_score",
    "interpolated_average_precision_score",
    "pr_auc_score",
    "precision_at_k_score",
    "precision_at_recall_score",
    "r_precision_score",
    "recall_at_k_score",
    "recall_at_precision_score",
    "reciprocal_rank_score",
    "success_at_k_score",
]
_define_in("._core.scores")
__all__ += ["get_scorer", "make_scorer"]
_define_in("._core.scorers")
__all__ += ["get_scorer_names"]
_define_in("._core.scorer_names")
__all__ += ["hit_curve", "precision_recall_curve"]
_define_in("._core.curves")
__all__ += ["score_by_query"]
_define_in("._core.by_query")
__all__ += ["expected_by_chance"]
_define_in("._core.chance")
_INSTEAD |= {
    "average_precision_score": "auc_pr aucpr auprc pr_auc",
    "pr_auc_score": "auc_pr aucpr",
    "average_precision_score(..., query_id=query), or a column per class": "map "
    "mean_ap mean_average_precision",
    "average_precision_score(..., average=None)": "average_precision_by_class "
    "average_precision_per_class per_class_ap",
    "score_by_query('average_precision', ...)": "average_precision_by_query",
    "average_precision_score(y_true, y_score, average='samples', zero_division=1.0, "
    "sample_weight=y_true.sum(axis=1))": "lwlrap",
    "average_precision_at_k_score": "ap_at_k map_at_k",
    "average_precision_at_k_score(..., query_id=query)": (
        "mean_average_precision_at_k"
    ),
    "reciprocal_rank_score(..., query_id=query)": "mean_reciprocal_rank mrr",
    "success_at_k_score": "hit_rate hit_rate_at_k hits_at_k",
    "get_scorer('average_precision')": "ap_scorer average_precision_scorer scorer",
    "hit_curve": "gain_curve lift_curve",
    "expected_by_chance": "chance_average_precision chance_level "
    "expected_average_precision random_average_precision",
}

# compatibility
if _t.TYPE_CHECKING:
    from . import compatibility as compatibility
_MODULE_OF["compatibility"] = ".compatibility"
_INSTEAD |= {
    "sklearn_ap.compatibility.CONVENTIONS": "CONVENTIONS",
    "sklearn_ap.compatibility.compare_conventions": "compare_conventions",
    "sklearn_ap.compatibility.identify": "identify",
    "sklearn_ap.compatibility.identify_function": "identify_function",
    "sklearn_ap.compatibility.score_as": "score_as",
    "sklearn_ap.compatibility.score_as('COCO', ...)": "coco_ap coco_map",
    "sklearn_ap.compatibility.score_as('MAP@R', ...)": "map_at_r",
    "sklearn_ap.compatibility.score_as('voc_ap', y_true, y_score)": "voc_ap",
}
_NAMED_ELSEWHERE[".compatibility", "CONVENTIONS"] = (
    "a convention: write score_as({0!r}, y_true, y_score) for its number, or "
    "make_scorer(score_as, convention={0!r}) for a scorer, with "
    "sklearn_ap.compatibility.score_as. Scores have intervals, conventions have none. "
    "The area of VOC 2007 is that of interpolated_average_precision_score(..., "
    "recall_levels=np.arange(0, 1.1, 0.1))"
)

# _uncertainty
if _t.TYPE_CHECKING:
    from ._uncertainty import (
        ConfidenceInterval,
        ManyComparisons,
        ScoreComparison,
        ScoreEstimate,
        UncertaintyWarning,
        compare_many,
        compare_samples,
        compare_scores,
        estimate_score,
    )
__all__ += [
    "ConfidenceInterval",
    "ManyComparisons",
    "ScoreComparison",
    "ScoreEstimate",
    "UncertaintyWarning",
    "compare_many",
    "compare_samples",
    "compare_scores",
    "estimate_score",
]
_define_in("._uncertainty")
_INSTEAD |= {
    "estimate_score('average_precision', ...).confidence_interval()": "bootstrap_ci "
    "average_precision_ci confidence_interval",
    "compare_scores (two models) or compare_many (a dictionary)": (
        "compare compare_models delong_test"
    ),
}

# _decisions
if _t.TYPE_CHECKING:
    from ._decisions.budgets import BudgetTotals, budget_totals
    from ._decisions.operating_points import operating_point
    from ._decisions.point import OperatingPoint
__all__ += ["BudgetTotals", "budget_totals"]
_define_in("._decisions.budgets")
__all__ += ["operating_point"]
_define_in("._decisions.operating_points")
__all__ += ["OperatingPoint"]
_define_in("._decisions.point")
_INSTEAD |= {
    "operating_point(..., precision=0.8).threshold": "threshold_at_precision",
    "operating_point(..., recall=0.8).threshold": "threshold_at_recall",
    "operating_point(..., specificity=0.9).recall": (
        "recall_at_specificity sensitivity_at_specificity"
    ),
    "operating_point(...).threshold": "best_threshold optimal_threshold",
    "operating_point(..., threshold=0.5).f_score()": "f1",
    "operating_point(..., threshold=0.5).precision": "ppv",
    "budget_totals(..., k=k).lift": "ef enrichment_factor lift lift_at_k",
    "budget_totals(..., k=0.01).lift (BEDROC is not included: see the page Which AP)": (
        "bedroc"
    ),
}

# distributed
if _t.TYPE_CHECKING:
    from . import distributed as distributed
_MODULE_OF["distributed"] = ".distributed"
_INSTEAD["average_precision_score(..., sample_weight=counts)"] = (
    "average_precision_from_counts"
)
_INSTEAD["sklearn_ap.distributed.RankingState"] = (
    "AveragePrecision RankingState StreamingAveragePrecision"
)

# _displays
if _t.TYPE_CHECKING:
    from ._displays.hit_curve import HitCurveDisplay
    from ._displays.precision_recall import PrecisionRecallDisplay
__all__ += ["HitCurveDisplay"]
_define_in("._displays.hit_curve")
__all__ += ["PrecisionRecallDisplay"]
_define_in("._displays.precision_recall")
_INSTEAD["PrecisionRecallDisplay"] = "plot_precision_recall_curve"

# _judgements
if _t.TYPE_CHECKING:
    from ._judgements.lists import read_lists
__all__ += ["read_lists"]
_define_in("._judgements.lists")
_INSTEAD |= {
    "average_precision_at_k_score(**read_lists([actual], [predicted]), k=k)": "apk",
    "average_precision_at_k_score(**read_lists(actual, predicted), k=k)": "mapk",
    "read_lists(qrels, run)": "read_qrels read_trec",
}

# _report
if _t.TYPE_CHECKING:
    from ._report.report import Report, report
__all__ += ["Report", "report"]
_define_in("._report.report")
