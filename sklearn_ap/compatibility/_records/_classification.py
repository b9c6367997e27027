"""Packages of classification, in Python and R: one ranking, mostly weights, ties as one threshold."""

from dataclasses import replace
from functools import partial
from math import nan
from typing import Any

from ..._registry import LEVEL
from .._choices import Grid, Thresholds
from .._convention import Convention, recorded

_one_ranking = partial(recorded, queries="refused")  # packages that take one ranking per call


def _torch(name: str, source: str, peculiarity: str, **choices: Any) -> tuple[Convention, Convention]:
    """Record a metric of tensors twice: for scores in the tensor's own type, and in float32."""
    as_given = _one_ranking(
        name,
        source,
        f"{peculiarity} Scores are compared in the tensor's own type.",
        weights="ignored",
        **choices,
    )
    in_float32 = replace(
        as_given,
        name=f"{name}, float32",
        score_dtype="float32",
        peculiarity=f"{peculiarity} Scores are compared in float32, as models return them.",
    )
    return as_given, in_float32


def _torchmetrics(
    name: str, call: str, *, peculiarity: str = "", sums: str = "; the sum is float32.", **choices: Any
) -> tuple[Convention, Convention]:
    """Record a metric of torchmetrics, which expects probabilities or logits."""
    return _torch(
        name,
        f"torchmetrics 1.9.0, functional/classification/{call}",
        peculiarity
        or "Any score outside [0, 1] sends all through a sigmoid: above 37 they tie (float32: 17).",
        transform="sigmoid",
        not_reproduced=f"torch's sigmoid differs in the last bits{sums}",
        **choices,
    )


def _keras(name: str, method: str, peculiarity: str, not_reproduced: str, **choices: Any) -> Convention:
    """Record a metric of Keras."""
    return _one_ranking(
        f"Keras {name}",
        f"Keras 3.15.1, metrics/confusion_metrics.py, {method}",
        peculiarity,
        score_dtype="float32",
        not_reproduced=not_reproduced,
        **choices,
    )


def _keras_at_level(name: str, *, area: str) -> Convention:
    """Record a metric of Keras at one level."""
    return _keras(
        f"{name}({LEVEL})",
        f"{name}({LEVEL})",
        "Scores are clipped to [0, 1] and rounded up to 199ths. A score of 0 is never retrieved.",
        "Sums and quotients are float32, and compared with the level in float32.",
        thresholds=Thresholds(200, rule="strictly above"),
        area=area,
        grid=_AT_LEVEL,
    )


def _keras_auc(n_thresholds: int, name: str, method: str, peculiarity: str) -> Convention:
    """Record Keras's area under the curve."""
    return _keras(
        name,
        method,
        peculiarity,
        "All sums are float32. summation_method 'minoring' and 'majoring' are other areas.",
        thresholds=Thresholds(n_thresholds, rule="above"),
        area="davis-goadrich",
    )


_AT_LEVEL = Grid(f"level {LEVEL}", (LEVEL,))
CLASSIFICATION = (
    recorded(
        "scikit-learn",
        "scikit-learn 1.9.1, metrics/_ranking.py, average_precision_score",
        "The reference that all others are compared with.",
        versions=">= 0.19",
    ),
    _one_ranking(
        "scikit-learn < 0.19",
        "scikit-learn 0.18.2, metrics/ranking.py, average_precision_score",
        "The trapezoidal rule, from recall 0 and precision 1: far too high for constant scores.",
        area="linear",
        without_positives=nan,
        versions="< 0.19",
        not_reproduced="Samples of weight 0 with the highest score made it NaN.",
    ),
    _one_ranking(
        "auc(recall, precision)",
        "scikit-learn 1.9.1, auc of precision_recall_curve",
        "The same trapezoids; without positives recall is set to one, so the area is 0.5.",
        area="linear",
        without_positives=0.5,
        versions="scikit-learn >= 1.1",
    ),
    recorded(
        "LightGBM average_precision",
        "LightGBM 4.7.0, src/metric/binary_metric.hpp, AveragePrecisionMetric",
        "A ranking without positives scores 1; groups of rows are ignored.",
        without_positives=1.0,
        not_reproduced="Weights are float32; samples of weight 0 with the highest score make it NaN.",
    ),
    recorded(
        "XGBoost aucpr",
        "XGBoost 3.2.0, src/metric/auc.cc, BinaryPRAUC",
        "NaN if one class is missing, even for a ranking of positives only.",
        score_dtype="float32",
        queries="mean",
        area="davis-goadrich",
        without_positives=nan,
        without_negatives=nan,
        left_out=True,
        not_reproduced="Weights are float32. With the objective binary:logistic the metric sees float32 "
        "probabilities: pass those as y_score. With queries, weights are per query.",
    ),
    recorded(
        "XGBRanker average_precision_score",
        "XGBoost 3.2.0, sklearn.py, XGBRanker(eval_metric=average_precision_score)",
        "A query counts as often as it has rows, and a query of one row scores 1.",
        score_dtype="float32",
        queries="mean by rows",
        one_row="perfect",
        weights="ignored",
        not_reproduced="It prints six decimals. Before scikit-learn 1.1 a query without positives was NaN.",
    ),
    recorded(
        "CatBoost PRAUC",
        "CatBoost 1.2.10, libs/metrics/metric.cpp, TPRAUCMetric",
        "Scores that differ by less than 1e-8 are tied, and so are chains. Groups are ignored.",
        transform="near",
        area="linear",
        without_positives="error",
        not_reproduced="Weights are float32; model.eval_metrics leaves them out by default.",
    ),
    _one_ranking(
        "Spark areaUnderPR",
        "Spark 4.3.0, BinaryClassificationEvaluator(metricName='areaUnderPR', numBins=0)",
        "The curve starts flat from the highest score, so constant scores give the base rate.",
        area="linear",
        first_point="(0, p1)",
        versions=">= 2.3",
        not_reproduced="Samples of weight 0 with the highest score let it start at precision 1.",
    ),
    _one_ranking(
        "Spark areaUnderPR, before 2.3",
        "Spark, BinaryClassificationMetrics.pr; https://github.com/apache/spark/pull/19038",
        "The curve started at precision 1.",
        area="linear",
        versions="< 2.3",
        run=False,
    ),
    _one_ranking(
        "Spark areaUnderPR, 1000 bins",
        "Spark 4.3.0, BinaryClassificationEvaluator(metricName='areaUnderPR'), as by default",
        "From 2,000 distinct scores on, neighbours are merged in silence.",
        thresholds=Thresholds(1000, rule="merged"),
        area="linear",
        first_point="(0, p1)",
        versions="pyspark 4.3.0",
        not_reproduced="Each partition is merged by itself, and scores of weight 0 are merged too.",
    ),
    *_torchmetrics("torchmetrics average_precision", "average_precision.py, thresholds=None"),
    *_torchmetrics(
        "torchmetrics, 100 thresholds",
        "average_precision.py, thresholds=100",
        peculiarity="Each score counts as the threshold below it, so at most 100 distinct scores are left.",
        thresholds=Thresholds(100),
    ),
    *_torch(
        "torcheval binary_auprc",
        "torcheval 0.0.7, metrics/functional/classification/auprc.py",
        "scikit-learn's number, from a float32 sum.",
        not_reproduced="Scores beyond the range of a float32 tensor become infinite, and are not tied.",
    ),
    *_torch(
        "torcheval binary_binned_auprc",
        "torcheval 0.0.7, metrics/functional/classification/binned_auprc.py",
        "A positive with a score below 0 reaches no threshold, so it is never found.",
        thresholds=Thresholds(100),
    ),
    _one_ranking(
        "H2O pr_auc",
        "H2O 3.46.0.12, hex/AUC2.java, through h2o.make_metrics",
        "More than 400 distinct scores become 400 bins, which depend on the order of the rows.",
        thresholds=Thresholds(400, rule="streamed"),
        area="davis-goadrich",
        without_negatives=1.0,
        not_reproduced="Each chunk of a frame is binned by itself. H2O refuses scores outside [0, 1].",
    ),
    _one_ranking(
        "river RollingPRAUC",
        "river 0.26.1, metrics/rolling_pr_auc.py",
        "The trapezoidal rule, below the best precision at each threshold or a lower one.",
        weights="ignored",
        area="linear, interpolated",
        without_negatives=0.0,
        not_reproduced="Only the last window_size rows count, 1000 by default: pass only those.",
    ),
    _keras_auc(
        200,
        "AUC(curve='PR')",
        "AUC.interpolate_pr_auc",
        "Scores are clipped to [0, 1] and rounded up to 199ths.",
    ),
    _keras_auc(
        50,
        "AUC(curve='PR'), 50 thresholds",
        "AUC(curve='PR', num_thresholds=50)",
        "Scores are rounded up to 49ths; N thresholds are `Thresholds(N, rule='above')`.",
    ),
    *_torchmetrics(
        f"precision_at_fixed_recall({LEVEL})",
        "precision_fixed_recall.py, thresholds=None",
        sums="; quotients are float32.",
        area="interpolated",
        grid=_AT_LEVEL,
    ),
    *_torchmetrics(
        f"recall_at_fixed_precision({LEVEL})",
        "recall_fixed_precision.py, thresholds=None",
        sums=". Quotients are float32: with float64 scores, a precision of exactly 7/10 misses the level "
        "0.7.",
        area="recall at precision",
        grid=_AT_LEVEL,
    ),
    _keras_at_level("PrecisionAtRecall", area="interpolated"),
    _keras_at_level("RecallAtPrecision", area="recall at precision"),
)


R = (
    _one_ranking(
        "ROCR aucpr",
        "ROCR 1.0-11, performance(..., 'aucpr')",
        "Among thresholds with equal recall only the highest counts, so lines join the peaks.",
        weights="ignored",
        area="linear, fewest retrieved",
        without_positives="error",
        without_negatives="error",
        not_reproduced="After the first tied group of more than two positives, points get wrong places.",
    ),
    _one_ranking(
        "MLmetrics PRAUC",
        "MLmetrics 1.1.1, PRAUC",
        "The first segment is dropped: 3 positives at the top score 0.667, constant scores 0.",
        weights="ignored",
        area="linear",
        first_point="none",
        without_positives="error",
        without_negatives="error",
    ),
    recorded(
        "Metrics apk",
        "Metrics 0.1.4, apk and mapk",
        "NaN without positives, also in the mean over queries.",
        queries="mean",
        ties="stable",
        weights="ignored",
        total="stated",
        cut="k",
        normalizer="min",
        without_positives=nan,
    ),
    _one_ranking(
        "PRROC auc.integral",
        "PRROC, pr.curve(...)$auc.integral; J. Keilwagen et al., PLoS ONE 9(3), 2014",
        "The area of Davis and Goadrich, continuous, with weights.",
        area="davis-goadrich",
        without_positives=nan,
        versions="1.3.1",
        run=False,
    ),
    _one_ranking(
        "PRROC auc.davis.goadrich",
        "PRROC, pr.curve(...)$auc.davis.goadrich; J. Davis, M. Goadrich, ICML 2006",
        "Davis and Goadrich's points at every positive, joined by straight lines.",
        weights="ignored",
        area="davis-goadrich, unit steps",
        without_positives=nan,
        versions="1.3.1",
        not_reproduced="It is NA if both classes have exactly the same scores.",
        run=False,
    ),
    _one_ranking(
        "yardstick average_precision",
        "yardstick, R/prob-average_precision.R",
        "scikit-learn's number, but NaN without positives.",
        without_positives=nan,
        versions="1.3",
        run=False,
    ),
    _one_ranking(
        "yardstick pr_auc",
        "yardstick, R/prob-pr_auc.R",
        "The trapezoidal rule, from recall 0 and precision 1.",
        area="linear",
        without_positives=nan,
        versions="1.3",
        run=False,
    ),
    _one_ranking(
        "precrec",
        "precrec, evalmod(x_bins = 1000); T. Saito, M. Rehmsmeier, Bioinformatics 33(1), 2017",
        "Davis and Goadrich's points at multiples of 1/1000 of recall, joined by straight lines.",
        weights="ignored",
        area="davis-goadrich",
        without_positives="error",
        without_negatives="error",
        versions="0.14",
        not_reproduced="The record has the continuous area instead; the two differ by less than 1e-4.",
        run=False,
    ),
)
