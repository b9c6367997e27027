"""Packages of R: classification, and a port of ml_metrics."""

from math import nan

from .._convention import Convention
from ._classification import one_ranking

__all__ = ["R"]

R = (
    one_ranking(
        "ROCR aucpr",
        weights="ignored",
        area="linear, fewest retrieved",
        without_positives="error",
        without_negatives="error",
        versions="1.0-11",
        source="ROCR 1.0-11, performance(..., 'aucpr')",
        peculiarity="Among thresholds with equal recall only the highest counts, so lines join the peaks.",
        not_reproduced="After the first tied group of more than two positives, points get wrong places.",
        run=True,
    ),
    one_ranking(
        "MLmetrics PRAUC",
        weights="ignored",
        area="linear",
        first_point="none",
        without_positives="error",
        without_negatives="error",
        versions="1.1.1",
        source="MLmetrics 1.1.1, PRAUC",
        peculiarity="The first segment is dropped: 3 positives at the top score 0.667, constant scores 0.",
        run=True,
    ),
    Convention(
        name="Metrics apk",
        queries="mean",
        ties="stable",
        weights="ignored",
        total="stated",
        cut="k",
        normalizer="min",
        without_positives=nan,
        versions="0.1.4",
        source="Metrics 0.1.4, apk and mapk",
        peculiarity="NaN without positives, also in the mean over queries.",
        run=True,
    ),
    one_ranking(
        "PRROC auc.integral",
        area="davis-goadrich",
        without_positives=nan,
        versions="1.3.1",
        source="PRROC, pr.curve(...)$auc.integral; J. Keilwagen et al., PLoS ONE 9(3), 2014",
        peculiarity="The area of Davis and Goadrich, continuous, with weights.",
    ),
    one_ranking(
        "PRROC auc.davis.goadrich",
        weights="ignored",
        area="davis-goadrich, unit steps",
        without_positives=nan,
        versions="1.3.1",
        source="PRROC, pr.curve(...)$auc.davis.goadrich; J. Davis, M. Goadrich, ICML 2006",
        peculiarity="Davis and Goadrich's points at every positive, joined by straight lines.",
        not_reproduced="It is NA if both classes have exactly the same scores.",
    ),
    one_ranking(
        "yardstick average_precision",
        without_positives=nan,
        versions="1.3",
        source="yardstick, R/prob-average_precision.R",
        peculiarity="scikit-learn's number, but NaN without positives.",
    ),
    one_ranking(
        "yardstick pr_auc",
        area="linear",
        without_positives=nan,
        versions="1.3",
        source="yardstick, R/prob-pr_auc.R",
        peculiarity="The trapezoidal rule, from recall 0 and precision 1.",
    ),
    one_ranking(
        "precrec",
        weights="ignored",
        area="davis-goadrich",
        without_positives="error",
        without_negatives="error",
        versions="0.14",
        source="precrec, evalmod(x_bins = 1000); T. Saito, M. Rehmsmeier, Bioinformatics 33(1), 2017",
        peculiarity="Davis and Goadrich's points at multiples of 1/1000 of recall, joined by straight lines.",
        not_reproduced="The record has the continuous area instead; the two differ by less than 1e-4.",
    ),
)
