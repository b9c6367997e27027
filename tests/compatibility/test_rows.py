"""Rows of conventions, one call per line, with its number by hand, its words or its error."""

import re
from dataclasses import replace
from decimal import Decimal

import numpy as np
import pandas as pd
import pytest
from sklearn.metrics import average_precision_score

from refusals import assert_raises, each_row, pattern_of, warning_of
from scores import FAMILY_S, FAMILY_Y, MCCANN_S, MCCANN_Y, TIED_S, TIED_Y
from sklearn_ap import compatibility, get_scorer, make_scorer, score_by_query
from sklearn_ap.compatibility._comparison import _printed_difference
from sklearn_ap.compatibility._package_areas import Grid
from sklearn_ap.compatibility._records import Convention, Thresholds, find_convention

# A number that is NaN comes with a warning, and -1 does not.
pytestmark = pytest.mark.filterwarnings(
    "ignore:The number of '(PRROC|HashNet).* is NaN"
)


def stable_ap(y_true, y_score):
    """Return AP with equal scores in the order of the rows."""
    ranked = y_true[np.argsort(-y_score, kind="stable")]
    return ranked.cumsum() / np.arange(1, ranked.size + 1) @ ranked / ranked.sum()


def pairs_ap(y_true, y_score):
    """Return AP with positives first among equal scores."""
    pairs = sorted(zip(y_score, y_true, strict=True))
    return stable_ap(*np.array(pairs)[::-1].T[::-1])


def ends(*arguments, **options):
    """Return the least and the greatest number over orders of equal scores."""
    with pytest.raises(compatibility.NoNumberError) as caught:
        compatibility.score_as(*arguments, **options)
    return [caught.value.low, caught.value.high]


def own(**fields):
    """Return a convention of the caller."""
    return Convention(name="mine", **fields)


NAMES = {name: getattr(compatibility, name) for name in compatibility.__all__}
NAMES |= {"np": np, "pd": pd, "nan": np.nan, "Decimal": Decimal}
NAMES |= {
    "ap": average_precision_score,
    "stable_ap": stable_ap,
    "pairs_ap": pairs_ap,
    "replace": replace,
}
NAMES |= {"own": own, "ends": ends, "Grid": Grid, "Thresholds": Thresholds}
NAMES |= {"FAMILY": (FAMILY_Y, FAMILY_S), "MCCANN": (MCCANN_Y, MCCANN_S)}
NAMES |= {"TIED": (TIED_Y, TIED_S), "find": find_convention}
NAMES |= {"get_scorer": get_scorer, "make_scorer": make_scorer}
NAMES |= {"score_by_query": score_by_query, "_printed_difference": _printed_difference}
NAMES["WEIGHTED"] = {
    "y_true": [1, 0, 0, 1, 1],
    "y_score": [5, 4, 3, 2, 1],
    "sample_weight": [2, 0.5, 1, 3, 0.25],
}
NUMBERS = [
    # The last point has the recall 1/2 and the precision of all rows, 2/5. The precision is 1 up
    # to the recall 1/4, then 2/3 up to 1/2, and then falls to 0. Two steps of 1/100 fall halfway.
    ("score_as('Ultralytics < 8.4.37', [1, 0, 1, 0, 0], [5, 4, 3, 2, 1], n_positives=4)", 1 / 4 + 1 / 6 + 1 / 10 - (1 / 3 + 4 / 15) / 200),
    # A long ranking is read in several blocks.
    ("score_as('Spark areaUnderPR', [1] * 30000 + [0] * 30000, range(60000, 0, -1))", 1.0),
    # --- numbers of `score_as`
    # A query that the convention leaves out has no number.
    ("score_as('podm 11-point', [1, 0, 0, 0], [2, 1, 2, 1], query_id=[0, 0, 1, 1], average=None)", [1, np.nan]),
    ("score_as('average precision', [1, 0, 0, 1], [4, 3, 2, 1], query_id=[0, 0, 1, 1], sample_weight=[0, 0, 1, 1], average=None)", [0, 1 / 2]),
    # The cut is after as many rows as there are positives.
    ("score_as('gist 7337391, average_precision_score(k)', [1, 0, 1, 0], [4, 3, 2, 1], k=3)", 1 / 2),
    # The records from source that have a cut, which is above a positive.
    ("score_as('Elliot MAP', [1, 0, 1, 1], [4, 3, 2, 1], k=2)", (1 + 1 / 2) / 2),
    ("score_as('gist 7337391, average_precision_score(k)', [1, 0, 1, 1], [4, 3, 2, 1], k=2)", 1 / 3),
    ("score_as('HashNet mAP@k', [1, 0, 1, 1], [4, 3, 2, 1], k=2)", 1),
    ("score_as('PRROC auc.integral', [0, 0], [2, 1])", np.nan),
    # The curve is horizontal up to the first tied group.
    ("score_as('PRROC auc.davis.goadrich', [1, 1, 0, 0], [1, 1, 1, 0])", 2 / 3),
    ("score_as('gluoncv', [1, 0], [1, 1])", 1 / 2),
    ("score_as('VOC 2010', [1, 0], [1, 1])", 1),
    ("score_as('HashNet mAP@k', [0, 1], [2, 1], k=1)", np.nan),
    # Positives first distinguish it from other conventions.
    ("score_as('pairs sorted together', [0, 0, 1], [1, 1, 1])", 1),
    # The first positive is in the middle of ranks 1 and 2.
    ("score_as('OGB MRR', [1, 0, 0], [1, 1, 0])", 2 / 3),
    ("score_as('ragas context_precision', [0, 0], [2, 1])", 0),
    # ragas divides by what was retrieved.
    ("score_as('ragas context_precision', [0, 1, 1], [3, 2, 1])", (1 / 2 + 2 / 3) / (2 + 1e-10)),
    # Queries without a hit leave the mean.
    ("score_as('HashNet mAP@k', [0, 0, 1, 0, 1, 1, 0, 0], [4, 3, 2, 4, 3, 2, 2, 1], query_id=[*'aaabbbcc'], k=2)", 1 / 2),
    ("score_as('HashNet mAP@k', [0, 0, 1, 0, 1, 1, 0, 0], [4, 3, 2, 4, 3, 2, 2, 1], query_id=[*'aaabbbcc'], k=2, average=None)", [np.nan, 1 / 2, np.nan]),
    # The second query has a total of 4, and rows of weight 0.
    ("score_as('average precision', [1, 0, 1, 1], [4, 3, 2, 1], query_id=[*'aabb'], n_positives={'a': 4, 'b': 4}, sample_weight=[1, 1, 0, 0])", 1 / 8),
    # A query without rows counts if it has a total. Among equal scores, y ranks before x.
    ("score_as('trec_eval map', [1, 0, 0, 1, 0, 0], [2, 2, 1, 3, 1, 1], query_id=[*'bbbaac'], item_id=[*'xyzxyz'], n_positives={'a': 4, 'b': 2, 'c': 0, '0': 3}, average=None)", [0, 1 / 4, 1 / 4, 0]),
    ("score_as('trec_eval map', [1, 0, 0, 1, 0, 0], [2, 2, 1, 3, 1, 1], query_id=[*'bbbaac'], item_id=[*'xyzxyz'], n_positives={('a', 7): 3, ('b', 7): 2, ('a', 8): 1, ('c', 7): 0, ('0', 8): 3}, average=None)", [0, 1 / 4, 1 / 4, 0]),
    ("score_as('trec_eval map', [1, 0, 0, 1, 0, 0], [2, 2, 1, 3, 1, 1], query_id=[*'bbbaac'], item_id=[*'xyzxyz'], n_positives={'a': 4, 'b': 2, 'c': 0, '0': 3})", 1 / 8),
    # An array has the totals of the sorted queries, also if equal scores take another order.
    ("score_as('gluoncv', [1, 1], [1, 2], query_id=[1, 2], n_positives=[4, 2])", (1 / 4 + 1 / 2) / 2),
    ("score_as('trec_eval map', [1, 1], [1, 2], query_id=[1, 2], n_positives=[4, 2], item_id=[*'ab'])", (1 / 4 + 1 / 2) / 2),
    # If no query counts, the number is that of one without positives.
    ("score_as(own(queries='mean', left_out=True, without_positives=0.25, without_negatives=0.5), [1, 0], [1, 1], query_id=[1, 2])", 1 / 4),
    ("score_as(own(queries='mean by rows'), [0, 1, 0, 1], [3, 2, 1, 4], query_id=[*'aaab'])", (3 * 1 / 2 + 1) / 4),
    # Weights do not count rows.
    ("score_as(own(queries='mean by rows'), [1, 0, 0, 0, 1], [3, 2, 1, 2, 1], query_id=[*'aaabb'], sample_weight=[1, 1, 3, 1, 1])", (3 * 1 + 2 / 2) / 5),
    # The 14th of 45 objects meets its slot exactly.
    ("score_as('KITTI R40', [1] * 14, range(14, 0, -1), n_positives=45)", 13 / 40),
    ("score_as(own(queries='mean', one_row='perfect'), [0, 0, 1], [1, 2, 1], query_id=[*'abb'])", (1 + 1 / 2) / 2),
    ("score_as(own(without_negatives=0.25), [1, 1, 1], [3, 2, 1], sample_weight=[0.1, 0.2, 0.3])", 1 / 4),
    ("score_as(own(without_negatives=0.25, total='stated'), [1, 1], [2, 1], n_positives=4)", 1 / 4),
    # A query that is left out raises no error.
    ("score_as(own(queries='mean', left_out=True, without_positives='error'), [1, 0, 0], [3, 2, 1], query_id=[*'aab'], average=None)", [1, np.nan]),
    ("score_as(own(queries='mean', left_out=True, without_negatives=0.25), [1, 1, 0], [3, 2, 1], query_id=[*'abb'])", 1),
    # A curve of joined points has no cut.
    ("score_as(own(area='linear', capped=True), [0, 1], [2, 1])", 1 / 4),
    ("score_as(own(queries='mean', one_row='perfect', without_negatives=0.25), [1, 0, 1], [1, 2, 1], query_id=[*'abb'])", (1 + 1 / 2) / 2),
    ("score_as('COCO', [0, 0], [2, 1])", -1),
    ("score_as('reciprocal rank', [0, 1], [2, 1], sample_weight=[2, 2])", 1 / 2),
    ("score_as('MAP@R', [0, 1, 1, 0], [4, 3, 2, 1])", 1 / 2 / 2),
    # Only positives are equal.
    ("score_as('ranx map', [1, 1, 0], [2, 2, 1])", 1),
    # --- equal scores: as strcmp compares them, "d9" is above "d10"
    ("score_as('trec_eval map', [1, 0], [1, 1], item_id=['d9', 'd10'])", 1),
    ("score_as('trec_eval map', [1, 0], [1, 1], item_id=np.array([9, 10]))", 1),
    ("score_as('sentence-transformers map@k', [0, 1], [1, 1], item_id=['d9', 'd10'], k=2)", 1),
    # For two equal scores, ir_measures 0.4.3 prints RR@10 = 1.0, and RR = 0.5.
    ("[score_as('ir_measures RR@k', [1, 0], [1, 1], item_id=['d1', 'd2'], k=10), score_as('ir_measures RR', [1, 0], [1, 1], item_id=['d1', 'd2'])]", [1, 1 / 2]),
    ("score_as('trec_eval map', [1, 1, 0, 0], [4, 3, 2, 1], query_id=[*'qrqr'], item_id=[*'aabb'])", 1),
    # The item of a row of weight 0 does not count.
    ("score_as(own(ties='item_id'), [0, 0, 1], [1, 1, 1], sample_weight=[1, 0, 1], item_id=[*'bac'])", 1),
    # Their order may be open below the cut.
    ("score_as('ranx map@k', [1, 0, 1, 0], [3, 2, 1, 1], k=2)", 1 / 2),
    ("score_as('HashNet mAP@k', [1, 0, 1, 0], [3, 2, 1, 1], k=2)", 1),
    ("ends('HashNet mAP@k', [1, 0, 1, 0], [3, 2, 1, 1], k=3)", [None, None]),
    ("ends('torchmetrics RetrievalMAP', [1, 0], [1, 1])", [1 / 2, 1]),
    # A convention without a cut takes all rows, although others are cut.
    ("compare_conventions([1, 0, 1, 0], [3, 2, 1, 1], k=2, conventions='torchmetrics RetrievalMAP').rows[0].low", (1 + 2 / 4) / 2),
    # The range is known for rows of equal weight.
    ("ends(own(ties='unspecified'), [1, 0, 1], [2, 2, 1], sample_weight=[2, 2, 2])", [(1 / 2 + 2 / 3) / 2, (1 + 2 / 3) / 2]),
    ("ends(own(ties='unspecified'), [1, 0, 1, 0], [2, 2, 1, 0], sample_weight=[1, 2, 3, 1])", [None, None]),
    ("score_as('trec_eval map', [1, 0], [1, 1], item_id=np.array([b'd9', b'd10']))", 1),
    ("score_as('trec_eval map', [1, 0], [1, 1], item_id=np.array([9, 10], object))", 1),
    ("score_as('trec_eval map', [0, 1], [1, 1], item_id=[2**53, 2**53 + 1])", 1),
    ("score_as('trec_eval map', [1, 0], [1, 1], item_id=np.array(['é'.encode(), b'd']))", 1),
    # An item is once in each query, also if there are more queries than items.
    ("score_as('trec_eval map', [1, 0] * 3, [2, 1] * 3, query_id=[*'ppqqrr'], item_id=[*'ababab'], average=None)", [1, 1, 1]),
    # At the greater recalls 0, 1/2 and 1, the precision is 1, 2/3 and 0.
    *[(f"score_as(own(grid=Grid('three', {levels}, 'greater recall', {weights!r})), [1, 0, 1, 1, 0], [5, 4, 3, 2, 1])", number) for levels in (3, (0, 0.5, 1)) for weights, number in (("equal", 5 / 9), ("gaps", 5 / 6), ("differences", 1 / 3), ("trapezoid", 7 / 12))],
    # --- thresholds and transformed scores
    # 0, 1 and 2 are logits, and the sigmoids of the first two are in one bin of five.
    ("score_as('torchmetrics, thresholds=5', [1, 0, 1], np.arange(3))", (1 + 2 / 3) / 2),
    ("score_as('torchmetrics, thresholds=5', [1, 0, 1], [-0.3, 0.2, 0.9])", (1 / 2 + 2 / 3) / 2),
    # As torch computes it downwards from 1, the eighth of 15 thresholds is 0.49999997.
    ("score_as(own(thresholds=Thresholds(15)), [1, 0], [0.49999998, 0.45])", 1),
    # Two probabilities are below the threshold 1/4; their sigmoids are beyond 1/2.
    ("score_as('torchmetrics, thresholds=5', [1, 0, 1], [0.1, 0.2, 0.9])", 5 / 6),
    # 0 and 1 are probabilities. Their sigmoids are in one bin with those of others.
    ("score_as('torchmetrics, thresholds=100', [1, 0], [1, 0.99])", 1),
    ("score_as('torchmetrics, thresholds=100', [1, 0], [0.02, 0])", 1),
    # A row with the score 0 is not retrieved.
    ("score_as('torchmetrics RetrievalMAP', [0, 1], [1, 0])", 0),
    ("score_as('torchmetrics RetrievalMAP', [0, 1], [1, -1])", 0),
    # Scores are clipped to [0, 1], and multiplied in float32, in which 199 * (31 / 199) is above 31.
    ("score_as(own(thresholds=Thresholds(3, 'above')), [1, 0], [2, 1])", 1 / 2),
    ("score_as(own(thresholds=Thresholds(200, 'above')), [1, 0], [31 / 199, 30.5 / 199])", 1),
    # CatBoost ties scores within 1e-8.
    ("score_as('CatBoost PRAUC', [1, 0, 1, 0], [0.99e-8, 0, -0.5 + 0.99e-8, -0.5])", (1 + 1 / 2) / 4 + 1 / 4),
    ("score_as('CatBoost PRAUC', [1, 0, 1, 0], [1.01e-8, 0, -0.5 + 1.01e-8, -0.5])", 1 / 2 + (1 / 2 + 2 / 3) / 4),
    # Scores that overflow give no warning: in float32, the first two scores are infinite,
    # and in float64, their distance is infinite.
    ("score_as('burn AucPrMetric', [1, 0, 0], [1e300, 1e299, 0])", 1 / 2),
    ("score_as('XGBoost aucpr', [1, 0, 1, 0], [1e300, 1e39, -1e39, -1e300])", 1 / 2),
    ("score_as('CatBoost PRAUC', [1, 0, 0], [1.7e308, -1.7e308, -1.7e308])", 1),
    ("score_as('CatBoost PRAUC', [1, 0], [1e-8, 0])", 1),
    # As float32, 1e-8 is 9.99999994e-9.
    ("score_as('CatBoost PRAUC', [0, 1], np.array([1e-8, 0], np.float32))", (1 + 1 / 2) / 2),
    ("score_as('CatBoost PRAUC', [1, 0], [True, False])", 1),
    ("score_as('burn AucPrMetric', [1, 0], [2**24 + 1, 2**24])", 1 / 2),
    # float64 rounds two of these scores.
    ("score_as('scikit-learn', [1, 0, 1, 0], np.array([2**53 + 1, 2**53, 2**62 + 1, 2**62]))", (1 + 2 / 3) / 2),
    # CatBoost compares float64, in which these two are equal.
    ("score_as('CatBoost PRAUC', [1, 0], [2**53 + 1, 2**53])", (1 + 1 / 2) / 2),
    # Their sigmoids are equal in float32. Those of float16 are computed in float64.
    ("score_as('torchmetrics average_precision', [1, 0], np.array([21, 20], np.float16))", 1),
    ("score_as('torchmetrics average_precision', [1, 0], np.array([21, 20], np.float32))", 1 / 2),
    ("score_as('torchmetrics average_precision', [1, 0], np.array([21, 20]))", 1),
    # In the first query, the row of the score 0 is missed, with 3/4 of the weight.
    ("score_as(own(queries='mean', thresholds=Thresholds(3, 'strictly above')), [1] * 4, [1, 0, 1, 0.2], query_id=[*'aabb'], sample_weight=[1, 3, 1, 1])", (1 / 4 + 1) / 2),
    ("score_as(own(thresholds=Thresholds(3, 'strictly above')), [1, 1], [1, 0], sample_weight=[1, 3])", 1 / 4),
    # The first R rows weigh as much as all positives, so the divisors R, k and min(k, R) are the same.
    ("score_as(own(cut='n_positives', normalizer='min'), **WEIGHTED) - score_as(own(cut='n_positives'), **WEIGHTED)", 0),
    ("score_as(own(cut='n_positives', normalizer='k'), **WEIGHTED) - score_as(own(cut='n_positives'), **WEIGHTED)", 0),
    ("score_as(own(area='hits', cut='n_positives', normalizer='k'), **WEIGHTED) - score_as(own(area='hits', cut='n_positives'), **WEIGHTED)", 0),
    ("score_as(own(prevalence=0.3, cut='n_positives', normalizer='k'), **WEIGHTED) - score_as(own(prevalence=0.3, cut='n_positives'), **WEIGHTED)", 0),
    # On the descent from recall 1/2 and precision 1, the height at 3/4 is 1/2.
    ("score_as(own(area='interpolated', last_point='(1, 0)', total='stated', grid=Grid('two', (0.5, 0.75))), [1, 1], [2, 1], n_positives=4)", (1 + 1 / 2) / 2),
    # --- `identify`
    ("identify('tensor(1.0)', [1, 0], [2, 1]).rows[0].value", 1),
    # The mean of 5/7 and 1 is found only with the weights of the rows.
    ("identify(6 / 7, [[1, 0], [0, 1]], [[1, 3], [2, 4]], sample_weight=[5, 2]).search.n_found > 0", True),
    ("identify('1.0', [*'ab'], [2, 1], pos_label='a').rows[0].value", 1),
    ("identify('0.25', [1, 0], [2, 1], n_positives=4).rows[0].value", 1 / 4),
    ("identify(3 / 4, [1, 0, 0, 1], [1, 0.5, 4, 3], query_id=[1, 1, 2, 2]).rows[0].value", (1 + 1 / 2) / 2),
    # The mean over columns excludes the second one, which has no positives. As one
    # ranking, the elements have an AP of 1, too.
    ("[row.value for row in identify(1.0, [[1, 0], [0, 0]], [[9, 1], [1, 2]]).rows if row.name == 'podm 11-point']", [1, 1]),
    # A mean of 1 and of what a convention returns without positives: 0, 1/2, 1, NaN or -1
    ("[row.value for name, mean in (('scikit-learn', 0.5), ('auc(recall, precision)', 0.75), ('LightGBM average_precision', 1), ('scikit-learn < 0.19', 1), ('COCO', 1)) for row in identify(mean, [[1, 0], [0, 0]], [[9, 1], [1, 2]]).rows if row.name == name and row.convention.queries == 'mean']", [0.5, 0.75, 1, 1, 1]),
    # Elements of one row are of one item, in each column. Rows of weight 0 are dropped.
    ("[row.value for row in identify(0.75, [[1, 0], [0, 1], [1, 1]], np.ones((3, 2)), item_id=['d9', 'd10', 'd8'], sample_weight=[1, 1, 0]).rows if row.name == 'trec_eval map']", [(1 + 1 / 2) / 2, (1 + 1 / 2) / 2]),
    # A tolerance of 0 is met by the number itself.
    ("[row.value for row in identify(1, [1, 0], [2, 1], tol=0).rows if row.name == 'scikit-learn']", [1]),
    ("[row.value for row in identify(0.75, [1, 0], [2, 1], tol=0.25).rows if row.name == 'scikit-learn']", [1]),
    ("identify('0.80', *FAMILY).search.tol", 0.005),
    ("identify(Decimal('0.700'), *FAMILY).search.tol", 0.0005),
    ("identify(0.69, *FAMILY).search.tol", 1e-6),
    ("identify('0.25', [[1, 0], [0, 1]], [[2, 1], [1, 2]], n_positives={0: 4, 1: 4}).rows[0].value", 1 / 4),
    ("identify('0.5139', pd.DataFrame({1: [1, 0, 1, 0], 0: [0, 1, 1, 0]}), [[4, 1], [3, 2], [2, 3], [1, 4]], n_positives={1: 2, 0: 6}).rows[0].value", 37 / 72),
    # Without positives, the column is an error for these packages.
    ("[row for row in identify(1.0, [[1, 0], [0, 0]], [[9, 1], [1, 2]]).rows if row.name in ('precrec', 'CatBoost PRAUC') and row.convention.queries == 'mean']", []),
    # The conventions that give the number are followed by those that may give it, and each has one row.
    ("len(identify('0.7', *TIED).rows) - sum(identify('0.7', *TIED).search[-2:])", 0),
    ("len({row.name for row in identify('1.0', [1, 0, 0], [0.9, 0.5, 0.1]).rows}) - identify('1.0', [1, 0, 0], [0.9, 0.5, 0.1]).search.n_found", 0),
    # The distance of 1/8 to both numbers is 0.005, and rounds to slightly more.
    ("[row.value for row in identify('0.12', [0] * 7 + [1], range(8, 0, -1)).rows if row.name == 'scikit-learn']", [1 / 8]),
    ("[row.value for row in identify('0.13', [0] * 7 + [1], range(8, 0, -1)).rows if row.name == 'scikit-learn']", [1 / 8]),
    # The last bits of a sum may differ.
    ("[row.value for row in identify(repr(float(ap(*FAMILY)) + 3e-16), *FAMILY).rows if row.name == 'scikit-learn']", [(1 + 2 / 3 + 3 / 4 + 4 / 7 + 1 / 2) / 5]),
    # The numbers come before the ranges over orders of equal scores.
    ("identify('0.8571', *TIED).rows[0].value", 1 / 3 + (1 + 3 / 5) / 3),
    ("identify(1.6, [1, 0], [2, 1], tol=1).rows[0].value", 11 / 10),
    ("identify('0.69', *FAMILY, tol=0.1).search.tol", 0.1),
    ("identify('0.1234', *TIED).search.n_possible", 0),
    ("identify('0.5', [1, 0], [1, 2]).to_dict()['search'] | {'n_found': 0}", {"value": 0.5, "tol": 0.05, "digits": 1, "n_found": 0, "n_possible": 0}),
    # --- `compare_conventions`
    ("compare_conventions([0, 1], [1, 1], item_id=[*'ab'], conventions='trec_eval map').rows[0].value", 1),
    # Conventions that differ in one choice share no ranking. In float16, the first two scores are equal.
    ("[row.value for row in compare_conventions([0, 1, 1], [0.4, 0.40001, 0.3], sample_weight=[2, 1, 1], query_id=[*'aab'], n_positives={'a': 2, 'b': 2}, conventions=[own(), own(prevalence=0.25), own(weights='ignored'), own(total='stated'), own(queries='mean'), own(thresholds=Thresholds(2))]).rows]", [3 / 4, (1 + 1 / 4) / 2, (1 + 2 / 3) / 2, (1 + 2 / 4) / 4, 1, 1 / 2]),
    ("[row.value for row in compare_conventions([0, 1, 1], [0.4, 0.40001, 0.3], conventions=[own(), own(transform='input order'), own(score_dtype='float16'), own(score_dtype='float16', ties='reversed'), own(score_dtype='float16', ties='stable'), own(score_dtype='float16', ties='optimistic')]).rows]", np.array([10, 7, 7, 10, 7, 10]) / 12),
    ("compare_conventions([*'ab'], [2, 1], pos_label='a').rows[0].value", 1),
    # A convention without a name has a line, too.
    ("float(str(compare_conventions([0, 1], [2, 1], conventions=replace(own(), name=''))).split()[-2])", 1 / 2),
    ("[len(line) for line in str(compare_conventions(*FAMILY, conventions=replace(own(), name='n' * 40))).splitlines()[1:]]", [66, 66, 66]),
    ("[len(line) for line in str(compare_conventions(*FAMILY, conventions=replace(own(), name='n' * 41))).splitlines()[1:]]", [67, 67, 67]),
    # The level 0.6 of MATLAB is above a recall of 3/5.
    ("score_as(compare_conventions(*MCCANN, conventions='VOC 2007').rows[0].reasons[0].convention, *MCCANN)", (5 + 3 / 4 + 3 * 2 / 3 + 2 / 2) / 11),
    ("compare_conventions([0, 0], [2, 1], conventions='scikit-learn').rows[0].value", 0),
    # Two names of one convention have one row.
    ("(lambda names: len(names) - len({*names}))([row.name for row in compare_conventions(*FAMILY, conventions='Keras').rows])", 0),
    # The parts are errors of rounding.
    ("len(compare_conventions([1, 1, 0, 0, 1, 0, 1], range(7, 0, -1), conventions='river').rows[0].reasons)", 0),
    # A point of a curve has no difference.
    ("compare_conventions(*FAMILY, conventions='balanced_precision(0.8)').rows[0].difference", None),
    ("compare_conventions([0, 1], [2, 1], conventions='PR AUC, linear').rows[0].difference", 1 / 4 - 1 / 2),
    ("len(compare_conventions(*FAMILY, conventions='scikit-learn').rows)", 1),
    ("[*map(str, compare_conventions([0, 0], [2, 1], conventions='COCO').to_frame().dtypes.iloc[:5])] == 5 * ['float64']", True),
    ("find('Torchmetrics, Thresholds=101').thresholds.count", 101),
    # --- `identify_function`: the error is that after the correction
    ("identify_function(lambda s, y: stable_ap(y, s)).error", ""),
    ("max(map(len, str(identify_function(lambda y, s: 0.3)).splitlines())) < 80", True),
]  # fmt: skip
# A call, and words of its text in their order, between dots.
TEXTS = [
    # Differences are those of printed values: 0.0001 and 0.0000.
    ("_printed_difference(0.00006, 0.00004)", "+0.0001"),
    # --- the digits that `identify` searches
    ("identify('0.69', *FAMILY)", "No convention gives 0.69 to 2 digits; the nearest come first. ... Pass a rounded number as text, such as '0.80', and k if it has a cut."),
    ("identify(Decimal('0.700'), *FAMILY)", " 0.700 to 3 digits"),
    ("identify(' np.float64(0.69) ', *FAMILY)", " 0.69 to 2 digits"),
    ("identify(0.69, *FAMILY)", " 0.690000 to 6 digits"),
    ("identify('0.8', *FAMILY)", " 0.8 to 1 digit: "),
    ("identify('1', *FAMILY)", " 1 to 0 digits: "),
    # Other numbers, such as 0.7778, are nearer to 0.78 than scikit-learn's 0.7833.
    *(
        (f"identify({value}, *MCCANN)", "Conventions that give 0.78 to 2 digits: ... printed values average precision; ")
        for value in ("'0.78'", "Decimal('0.78')")
    ),
    ("identify('0e1', [1, 0], [2, 1])", " 0 to 0 digits: "),
    ("identify(np.float32(0.7), *FAMILY, tol=np.float32(0.5))", " 0.699999988079 within 0.5: "),
    ("identify('0.69', *FAMILY, tol=0.0125)", " 0.69 within 0.0125: 23. scikit-learn's AP is"),
    ("identify('1.4', [1, 0], [2, 1])", "No convention gives 1.4 to 1 digit; "),
    ("identify(1.5, [1, 0], [2, 1])", "No convention gives 1.500000 to 6 digits; "),
    ("identify('1.0', [0, 0, 1, 0, 1], [3] * 5)", "Conventions that give 1.0 to 1 digit: 1. ... pairs sorted together 1.0000 "),
    ("identify('1', *TIED)", "Conventions that give 1 to 0 digits: ... A number without decimals says little."),
    ("identify(1.0, [1, 0], [2, 1], query_id=[7, 7])", "Means over 1 query. scikit-learn's AP, and other conventions without queries, take all rows as one ranking."),
    ("identify('0.5', [[1, 0], [0, 1], [1, 1]], [[1, 2], [2, 1], [3, 3]])", "Means over 2 queries."),
    ("identify('0.7', *TIED)", "Conventions that give 0.7 to 1 digit: ... By their order of equal scores, ... may give it."),
    ("identify('0.8571', *TIED)", "No convention gives 0.8571 to 4 digits; ... By their order of equal scores, ... may give it. ... Pass a rounded number as text"),
    # The difference of a rank or a share has no meaning, so it is in another line.
    ("identify(1.0, [1, 1, 0], [3, 2, 1])", "1.0000 +0.0000 R-precision; reciprocal rank;"),
    ("identify(1.0, [[1, 0], [0, 1]], [[2, 1], [1, 2]]).rows[0].convention.queries", "mean"),
    ("identify(0.3, [1, 0], [2, 1], tol=np.float32(0.5)).to_dict()['search']", "{'value': 0.3, 'tol': 0.5, 'digits': None, "),
    # --- `identify_function`
    ("identify_function(ap)", "It follows average precision; scikit-learn;"),
    ("identify_function(stable_ap)", "It follows trec_eval map; pytrec_eval map;"),
    ("identify_function(lambda s, y: stable_ap(y, s))", "It follows no convention (without k, those with a cut are not compared). For distinct scores, it computes trec_eval map; ... To be corrected: takes scores first."),
    ("identify_function(lambda y, s: ap(y, -s))", "it computes average precision; ... To be corrected: ranks low scores first."),
    ("identify_function(lambda y, s: -ap(y, s))", "it computes average precision; ... To be corrected: -number."),
    ("identify_function(lambda y, s: 100 * ap(y, s))", "it computes average precision; ... To be corrected: 100 * number."),
    ("identify_function(lambda y, s: round(ap(y, s), 4))", "it computes average precision; ... To be corrected: agrees to 4 digits."),
    ("identify_function(lambda y, s: stable_ap(y, s) + 1e-6)", "it computes trec_eval map; ... To be corrected: agrees to 4 digits."),
    ("identify_function(lambda y, s: pairs_ap(y, s))", "It follows pairs sorted together; trec_eval map;"),
    ("identify_function(lambda y, s: 0.3)", "It follows no convention (without k, those with a cut are not compared). A function of ids, or of recall and precision, needs a function of labels and scores around it: see 'Ask the code' on the page Which AP."),
    # A function without a name is called f.
    # Corrections combine, the fewest first.
    ("identify_function(lambda y, s: 1 - ap(y, s))", "it computes average precision; ... LRAP. To be corrected: 1 - number."),
    ("identify_function(lambda y, s: round(ap(y, s), 3))", "it computes average precision; ... LRAP. To be corrected: rounded to 3 digits."),
    # COCO has 1 and -1 on rankings of one class, which do not count.
    # One number is that of no convention, although recall@39 and HashNet mAP@1 are 1 for most rankings.
    ("identify_function(lambda y, s: 1.0, k=1)", "not compared). A function of ids"),
    ("identify_function(lambda y, s: 0.0, k=10)", "not compared). A function of ids"),
    ("identify_function(lambda y, s: len({*y} & {*s}) / 2, k=39)", "not compared). A function of ids"),
    ("identify_function(lambda y, s: 0.3 if 0 < y.mean() < 1 else 2 * y.mean() - 1)", "It follows no convention (without k, those with a cut are not compared)."),
    ("identify_function(lambda y, s: ap(y, s) if y.any() else 1 // 0)", "It follows average precision; scikit-learn; ... Error: ZeroDivisionError('integer division or modulo by zero') for [0] and [0.95]."),
    ("identify_function(lambda y, s: Decimal(float(ap(y, s))))", "It follows average precision; scikit-learn;"),
    # The rounding of a package is that of float32.
    ("identify_function(lambda y, s: score_as('torchmetrics average_precision', y, s) + 2e-7)", "It follows torchmetrics average_precision;"),
    ("identify_function(lambda y, s: score_as('torchmetrics average_precision', y, s) - 2e-7)", "It follows torchmetrics average_precision;"),
    # CatBoost raises an error without positives.
    ("identify_function(lambda y, s: score_as('CatBoost PRAUC', y, s) if y.any() else 5)", "It follows CatBoost PRAUC."),
    ("identify_function(lambda y, s: stable_ap(y, s) if y.size > 3 else np.nan).to_dict()", "{'schema': 1, 'kind': 'function_comparison', 'names': [], 'nearest': ['Spark meanAveragePrecision', ... 'example': {'shows': 'two rows', 'kind': 'special', 'y_true': [0, 1], 'y_score': [0.9, 0.8], 'value': None, 'expected': [0.5]}, ... 'error': ''}"),
    # --- conventions
    ("CONVENTIONS", f"<{len(compatibility.CONVENTIONS)} conventions, named by CONVENTIONS.keys();"),
    ("repr(CONVENTIONS['scikit-learn'])", "scikit-learn: AP[precision at each threshold, times the recall gained]"),
    ("CONVENTIONS['COCO']", "AP[mean over queries, equal scores in input order, ... missed positives count, -1.0 without positives, excluded from means]"),
    ("CONVENTIONS['podm 11-point']", "0.0 without positives, excluded from means]"),
    ("CONVENTIONS['XGBoost aucpr']", "nan without positives, nan without negatives, excluded from means]"),
    ("find('torchmetrics, thresholds=7')", "scores at 7 even thresholds,"),
    ("find('Spark areaUnderPR, numBins=7')", "AP[distinct scores merged to about 7,"),
    ("own(prevalence=0.25)", "AP[0.25]"),
    # --- `compare_conventions`
    ("compare_conventions(*MCCANN, conventions='VOC 2007')", "scikit-learn's AP is 0.7833. ... VOC 2007 0.7955 +0.0122"),
    ("compare_conventions(*FAMILY, k=5, conventions='AP@k over R')", " AP@5 over R "),
    ("compare_conventions(*FAMILY, k=0.5, conventions='AP@k over R')", " AP@0.5 over R "),
    ("compare_conventions([1, 1, 0, 0, 1, 0, 1], range(7, 0, -1), conventions='river')", "river RollingPRAUC 0.7929 +0.0000"),
    ("compare_conventions([1, 0], [2, 1], conventions='VOC 2010').to_dict()", "{'schema': 1, 'kind': 'convention_comparison', 'rows': [{'name': 'VOC 2010', 'value': 1.0, 'low': None, 'high': None, 'scikit_learn': 1.0, 'difference': 0.0, 'why': '', 'call': \"score_as('VOC 2010', y_true, y_score)\"}]}"),
    ("repr(compare_conventions([1, 0], [2, 1], conventions='VOC 2010'))", "<ConventionComparison: scikit-learn's AP is 1.0000. ... 1.0000 +0.0000 >"),
    ("compare_conventions([1, 0], [2, 1], conventions='VOC 2010').rows", "(ComparisonRow(name='VOC 2010', value=1.0, scikit_learn=1.0, note='', low=None, high=None),)"),
    ("compare_conventions([0, 1], [2, 1], conventions='PR AUC, linear').rows[0].changes", "(ChoiceChange(choice='queries', words='mean over queries', value=0.5, part=0.0), ChoiceChange(choice='area', words='points joined by straight lines', value=0.25, part=-0.25))"),
    ("compare_conventions([0, 1], [2, 1], conventions='PR AUC, linear').rows[0].changes[0].convention", "AP[mean over queries]"),
    ("repr(compare_conventions([0, 1], [2, 1], conventions='PR AUC, linear').rows[0].changes[0].convention)", "PR AUC, linear, up to queries: AP[mean over queries]"),
    ("compare_conventions(*MCCANN, conventions='VOC 2007').rows[0].why", "11 levels, 0:0.1:1 +0.0121"),
    # Positives last among equal scores have no effect while weights are used.
    ("compare_conventions(*TIED, k=3, sample_weight=range(1, 7), conventions='CatBoost MAP:top=k').rows[0].changes", "ChoiceChange(choice='ties and weights', words='positives last among equal scores, sample weights ignored', "),
    # With tp positives and fp negatives down to a hit, its precision changes by
    # 4 tp fp / (tp + fp)**2 times the change of the prevalence: the mean is 0.7237.
    ("compare_conventions(*FAMILY, conventions=own(prevalence=0.5001)).rows[0].why", "0.5001 +0.0001"),
    ("compare_conventions(*FAMILY, conventions=own(prevalence=0.4999)).rows[0].why", "0.4999 -0.0001"),
    ("compare_conventions(*FAMILY, conventions=own(prevalence=0.50001)).rows[0].why", "0.50001 +7e-06"),
    ("compare_conventions(*FAMILY, conventions=own(prevalence=0.49999)).rows[0].why", "0.49999 -7e-06"),
    # Both numbers are printed as 0.6976, although they differ by 0.00006.
    ("compare_conventions(*FAMILY, conventions=own(prevalence=0.49991))", "mine 0.6976 +0.0000 0.49991 0.6976 +0.0000"),
    ("compare_conventions(*FAMILY, conventions=own(area='interpolated', prevalence=0.5001)).rows[0].why", "best precision at each recall or beyond +0.0167; 0.5001 +0.0001"),
    ("find('Torchmetrics, Thresholds=101').call", "score_as('torchmetrics, thresholds=101', y_true, y_score)"),
    ("CONVENTIONS['ranx map@k'].call", "score_as('ranx map@k', y_true, y_score, k=k)"),
    ("own(cut='k').call", "score_as('mine', y_true, y_score, k=k)"),
    ("CONVENTIONS['MAP@R'].call", "score_as('MAP@R', y_true, y_score)"),
    # Queries of weight 0 do not count, and queries without rows do if they have a total.
    ("compare_conventions([1, 0], [2, 1], query_id=[1, 2], sample_weight=[1, 0], conventions='COCO')", "Means over 1 query."),
    ("compare_conventions([1, 0], [2, 1], query_id=[1, 1], n_positives={1: 1, 9: 2}, conventions='COCO')", "Means over 2 queries."),
    ("compare_conventions([1, 0], [2, 1], query_id=[1, 2], sample_weight=[1, 0], n_positives=[1, 2], conventions='average precision')", "average precision 0.5000 ... Means over 2 queries."),
    # --- `compare_conventions`: why there is no number
    ("compare_conventions([0, 0], [2, 1], conventions='COCO')", "'COCO' returns -1, since a ranking has no positives or no negatives."),
    ("compare_conventions([0, 0], [2, 1], conventions='COCO').rows[0].why", "'COCO' returns -1, since"),
    ("compare_conventions([0, 0], [2, 1], conventions='VOC 2010')", "'VOC 2010' returns nan, since a ranking has"),
    ("compare_conventions([1, 0], [2, 1], sample_weight=[1, 2], n_positives=3, conventions='COCO')", "n_positives is a total weight if sample_weight is passed, but 'COCO' ignores sample_weight; pass n_positives as a count, without sample_weight."),
    ("compare_conventions([1, 0], [2, 1], query_id=[1, 1], conventions='torchmetrics')", "query_id is not supported by 'torchmetrics average_precision', which takes one ranking: pass one query at a time."),
    ("compare_conventions(*TIED, conventions='ranx map')", "ranx map - - y_score contains equal scores of positives and negatives, and 'ranx map' leaves their order open; pass scores without such ties. The number is between 0.7 and 1, depending on that order."),
]  # fmt: skip
# A call, the beginning of its error, a ValueError if the row names no other class, and words
# after the dots.
ERRORS = [
    ("score_as('VOC 2007', [1, 0], [2, 1], average='micro')", "average must be one of 'macro'; got 'micro'; did you mean 'macro'?"),
    ("score_as('VOC 2007', [1, 0], [2, 1], average=None)", "average must be 'macro' without query_id, ... got None for 'VOC 2007'."),
    ("score_as('scikit-learn', [1, 0], [2, 1], average=None)", "average must be 'macro' without query_id, ... got None for 'scikit-learn'."),
    ("score_as('VOC 2007', [1, 0], [2, 1], pos_label=[1])", "TypeError: The 'pos_label' parameter of score_as must "),
    ("identify(1.0, [1, 0], [2, 1], pos_label=[1])", "TypeError: The 'pos_label' parameter of identify must "),
    ("compare_conventions([1, 0], [2, 1], pos_label=[1])", "TypeError: The 'pos_label' parameter of compare_conventions must "),
    # --- arguments that a convention does not use
    ("score_as('ranx map', [1, 0], [2, 1], sample_weight=[1, 1])", "sample_weight must be None for 'ranx map', which ignores weights; got [1, 1]."),
    ("score_as('ranx map', [1, 0], [2, 1], sample_weight=[1] * 99)", "sample_weight must be None ... got [1, 1, 1, 1, 1, 1, ...]."),
    ("score_as('ranx map', [1, 0], [2, 1], k=3)", "k must be None for 'ranx map', which has no cut at k; got 3."),
    ("score_as('COCO', [1, 0], [2, 1], k=0.5)", "k must be None for 'COCO', which has no cut at k; got 0.5."),
    ("score_as('scikit-learn', [1, 0], [2, 1], query_id=[1, 1])", "query_id must be None for 'scikit-learn', which takes one ranking: pass one query at a time; got [1, 1]."),
    ("score_as('scikit-learn', [1, 0], [2, 1], n_positives=2)", "n_positives must be None for 'scikit-learn', which counts the positives found; got 2."),
    ("score_as('average precision', [1, 0], [2, 1], item_id=[1, 2])", "item_id must be None for 'average precision', which does not rank equal scores by id; got [1, 2]."),
    # --- arguments that a convention requires, or cannot use
    ("score_as('ml_metrics apk', *FAMILY)", "k is required: 'ml_metrics apk' cuts each ranking; pass a number or a share of rows."),
    ("compare_conventions(*FAMILY, conventions=['VOC 2007', 'AP@k over k'])", "k is required: 'AP@k over k' cuts each ranking;"),
    ("compare_conventions(*FAMILY, conventions='rectools')", "k is required: 'rectools MAP' cuts each ranking;"),
    ("score_as('trec_eval map', *TIED)", "item_id is required: y_score contains equal scores of positives and negatives, which 'trec_eval map' orders by the ids of the items; pass one id per row. The number is between 0.7 and 1, depending"),
    ("score_as(own(ties='ascending item_id'), *TIED)", "item_id is required: ... which 'mine' orders by the ids"),
    ("score_as('trec_eval map', *TIED, item_id=[1, None] * 3)", "item_id is missing in row 1"),
    ("score_as('ranx map', *TIED)", "y_score contains equal scores of positives and negatives, and 'ranx map' leaves their order open;"),
    ("score_as('reciprocal rank', *TIED, sample_weight=range(6))", "sample_weight must be equal inside each ranking for 'reciprocal rank': a rank counts rows"),
    ("score_as('COCO', np.eye(4, 3, dtype=int), np.eye(4, 3))", "y_true must be binary; got 3 classes or labels. ... interpolated_average_precision_score(..., recall_levels=np. ... and so does identify."),
    ("score_as(own(without_positives='error'), [0, 0], [2, 1])", "y_true contains no positives, which is an error for 'mine'."),
    ("score_as(own(without_negatives='error'), [1, 1], [2, 1])", "y_true contains no negatives, which is an error for 'mine'."),
    ("compare_conventions([1, 0, 1, 1], [4, 3, 2, 1], query_id=[*'aabb'], n_positives={'a': 4, 'b': 1}, conventions='scikit-learn')", "n_positives must not be below the positives in y_true; got 1 for 'b', where 2 were found."),
    ("compare_conventions([1, 0], [2, 1], sample_weight=[3, 1], n_positives=2, conventions='scikit-learn')", "n_positives must not be below the positives in y_true; got 2, where 3 were found."),
    ("compare_conventions(*FAMILY, conventions=3)", "convention must be a name in CONVENTIONS (page Compatibility); got 3."),
    ("compare_conventions(*FAMILY, k=-1)", "k must be None, an integer >= 1 ... got -1."),
    ("Thresholds(1)", "the number of thresholds must be at least 2; got 1."),
    ("Thresholds(2.0)", "the number of thresholds must be at least 2; got 2.0."),
    ("Thresholds('5')", "the number of thresholds must be at least 2; got '5'."),
    ("score_as(own(area='step', last_point='(1, 0)', grid=Grid('two', (0.5, 1.0))), [1, 1], [2, 1])", "convention 'mine' has no number: area, first_point and last_point must be among [('step', '(0, 1)', 'none'), ... with grid two; got ('step', '(0, 1)', '(1, 0)')."),
    ("score_as(own(area='step', grid=Grid('two', (0.5, 1.0), 'near')), [1, 1], [2, 1])", "convention 'mine' has no number: met_by must be one of 'recall', ... got 'near'."),
    ("score_as(own(area='linear', cut='k'), [1, 0, 1], [3, 2, 1], k=2)", "convention 'mine' has no number: area 'linear' has no number with ... cut=2"),
    # The mean over orders requires rows of equal weight, and a prevalence weights the negatives.
    ("score_as(own(ties='expected', prevalence=0.5), [1, 0, 1], [3, 2, 1])", "convention 'mine' has no number: ... has no number with ... prevalence"),
    ("score_as(own(area='setp'), [1, 0, 1], [3, 2, 1])", "area must be one of ... got 'setp'; did you mean 'step'?"),
    ("compare_conventions([1, 0, 1], [3, 2, 1], conventions=own(area='setp'))", "area must be one of "),
    # --- items: a document of two chunks has two rows
    ("identify(1.0, [1, 1, 0, 0], [4, 3, 2, 1], query_id=[*'qqrr'], item_id=[*'aabc'])", "item_id must name an item once per ranking; got 'a' in several rows of query 'q'. Join"),
    ("identify(1.0, [1, 1, 0, 0], [4, 3, 2, 1], query_id=[1, 2, 1, 1], item_id=[b'a', b'b', b'b', b'a'])", "item_id must name an item once per ranking; got 'a' in several rows of query 1. Join"),
    ("identify(1.0, [1, 1, 0, 0], [4, 3, 2, 1], item_id=np.array([b'a', b'b', b'a', b'c'], object))", "item_id must name an item once per ranking; got 'a' in several rows of the ranking. Join"),
    ("identify(1.0, [1, 1, 0, 0], [4, 3, 2, 1], query_id=[*'qrrr'], item_id=[*'abab'])", "item_id must name an item once per ranking; got 'b' in several rows of query 'r'. Join"),
    ("identify(1.0, [1, 1, 0, 0], [4, 3, 2, 1], item_id=[1, 2, 1, 3])", "item_id must name an item once per ranking; got '1' in several rows of the ranking. Join"),
    # --- `identify`
    *((f"identify({value}, *FAMILY)", f"value must be a number >= 0, ... got {value}.") for value in ("-1", "'-0.5'")),
    ("identify('many', *FAMILY)", "value must be a number >= 0, or its digits as text such as '0.7955', and not a percentage; got 'many'."),
    ("identify(np.array(0.5), *FAMILY)", "value must be a number >= 0, ... got array(0.5)."),
    ("identify(nan, *FAMILY)", "value must be a number >= 0, ... got nan."),
    ("identify('inf', *FAMILY)", "value must be a number >= 0, ... got 'inf'."),
    ("identify([0] * 1000, *FAMILY)", "value must be a number >= 0, ... got [0, 0, 0, 0, 0, 0, ...]."),
    ("identify(10**400, *FAMILY)", "value must be a number >= 0, ... got 1000"),
    ("identify('69.76', *MCCANN)", "value must be a share of 1, such as '0.6976', and not a percentage; got '69.76'."),
    ("identify(Decimal('69.76'), *MCCANN)", "value must be a share of 1, such as '0.6976', and not a percentage; got Decimal('69.76')."),
    ("identify(100 * 35 / 44, *MCCANN)", "value must be a share of 1, such as '0.79545"),
    ("identify(1.6, *MCCANN)", "value must be a share of 1, such as '0.016', ... got 1.6."),
    ("identify('79.55%', *MCCANN)", "value must be a share of 1, such as '0.7955', ... got '79.55%'."),
    ("identify('0.5 %', *MCCANN)", "value must be a share of 1, such as '0.005', ... got '0.5 %'."),
    ("identify(0.5, *FAMILY, tol=10**400)", "tol must be None or a number from 0 to 1; got 1000"),
    ("identify(0.5, *FAMILY, tol=[0] * 1000)", "tol must be None or a number from 0 to 1; got [0, 0, 0, 0, 0, 0, ...]."),
    ("identify(0.5, *FAMILY, tol=2)", "tol must be None or a number from 0 to 1; got 2."),
    ("identify(0.5, *FAMILY, tol=-1)", "tol must be None or a number from 0 to 1; got -1."),
    # --- `identify_function`
    ("identify_function([0] * 1000)", "TypeError: function must be callable; got [0, 0, 0, 0, 0, 0, ...]."),
    ("identify_function(lambda y, s: [0] * 1000)", "TypeError: function must return a number; got [0, 0, 0, 0, 0, 0, ...]: pass a function that calls it and returns one number."),
    ("identify_function(lambda y, s: s)", "TypeError: function must return a number; got array([0.95]):"),
    ("identify_function(lambda y, s: None)", "TypeError: function must return a number; got None:"),
    ("identify_function(lambda y, s: '0.5')", "TypeError: function must return a number; got '0.5':"),
    ("identify_function(np.add.at)", "second operand needed for ufunc"),
    ("identify_function(lambda y: 1)", "TypeError: <lambda>() takes 1 positional argument but 2 were given"),
    ("identify_function(ap, k=40)", "k must be below 40, the rows of the longest ranking, or a share up to 0.98; got 40. Pass a function with a smaller cut"),
    ("identify_function(ap, k=0.99)", "k must be below 40, ... got 0.99. Pass a function with a smaller cut"),
    ("identify_function(ap, k=3.0)", "k must be None, an integer >= 1 ... got 3.0:"),
    # The first error of a function that has errors on all rankings.
    ("identify_function(lambda y, s: np.reshape(y, (7, 7)))", "cannot reshape array of size 1 into"),
    # --- scorers
    *(
        (call, f"{name} must be the name of a score; {{0!r}} is a convention: write score_as({{1!r}}, y_true, y_score) for its number, or make_scorer(score_as, convention={{1!r}}) for a scorer, ... recall_levels=np.arange(0, 1.1, 0.1)) ... are one of ['average".format(*names))
        for names in (("VOC 2007", "VOC 2007"), ("voc-2007", "VOC 2007"), ("ranx map@k", "ranx map@k"), ("precision@k", "precision@k"))
        for name, call in (
            ("scoring", f"get_scorer({names[0]!r})"),
            ("score_func", f"score_by_query({names[0]!r}, [1, 0], [2, 1], query_id=[0, 0])"),
        )
    ),
    ("make_scorer(score_as, convention='BEIR', k=0.0)", "k must be None, an integer"),
    ("make_scorer(score_as, convention='VOC 2007')([1, 0], [2, 1])", "TypeError: a scorer takes a fitted estimator, ... call score_as."),
    # A convention of the caller may have the name of a known one.
    # --- names
    ("find('ranx')", "convention must be a name in CONVENTIONS (page Compatibility); got 'ranx', a package with the conventions 'ranx map', ... 'ranx mrr'"),
    ("find('xgbost aucpr')", "convention must be a name in CONVENTIONS (page Compatibility); got 'xgbost aucpr'; did you mean 'XGBoost aucpr'"),
    (r"find('Z\n\x1b[31m')", r"convention must be a name in CONVENTIONS (page Compatibility); got 'Z\n\x1b[31m'."),
    ("find(None)", "convention must be a name in CONVENTIONS (page Compatibility); got None."),
    ("find('torchmetrics, thresholds=1')", "the number of thresholds must be at least 2; got 1."),
    ("find('torchmetrics, thresholds=')", "convention ... did you mean 'torchmetrics, thresholds=100'"),
    ("find('COCO, thresholds=20')", "convention must be a name in CONVENTIONS (page Compatibility); got 'COCO, thresholds=20'"),
    ("find('voc-2007.')", "convention ... did you mean 'VOC 2007'"),
    # Names with all of the words, in any order.
    ("find('map torchmetrics')", "convention ... did you mean 'torchmetrics RetrievalMAP < 1.7.4' or 'torchmetrics RetrievalMAP' or"),
    ("find('VOC 2077')", "convention must be a name in CONVENTIONS (page Compatibility); got 'VOC 2077'."),
]  # fmt: skip
# A call, and the words of its warning.
WARNINGS = [
    ("score_as('Market-1501', [1, 0, 0], [3, 2, 1], query_id=[0, 0, 1])", "The number of 'Market-1501' is NaN, ... no positives"),
    ("score_as('trec_eval map', pd.Series([1, 0], [7, 8]), [2, 1], item_id=pd.Series([*'ab'], [8, 7]))", "y_true and item_id have the same values in their indexes, in two orders: [7, 8] and [8, 7]."),
]  # fmt: skip


@pytest.mark.parametrize(("call", "expected"), NUMBERS)
def test_a_call_returns_its_number(call, expected):
    assert eval(call, NAMES) == pytest.approx(expected, nan_ok=True)


@pytest.mark.parametrize(("call", "words"), TEXTS)
def test_a_text_has_its_words(call, words):
    text = " ".join(str(eval(call, NAMES)).split())
    assert re.search(pattern_of(words), text), text


@each_row(ERRORS)
def test_a_call_raises_its_error(row):
    assert_raises(NAMES, *row)


@pytest.mark.parametrize(("call", "words"), WARNINGS)
def test_a_call_warns(call, words):
    assert re.match(pattern_of(words), warning_of(call, NAMES))


# Means over one query. The odds of a prevalence of 1/4 are 1/3: with tp positives and fp
# negatives above a hit, its precision is tp / (tp + 3 fp). A recall of 1/2 is reached at the third
# of five positives.
TABLE = """\
scikit-learn's AP is 0.6976.
                                                     difference of
score                                        value  printed values
two reasons                                 0.5115         -0.1861
  best precision at each recall or beyond   0.7143         +0.0167
  0.25                                      0.5115         -0.2028
levels                                      0.6250         -0.0726
  best precision at each recall or beyond   0.7143         +0.0167
  a name of levels that is wider than its
  column                                    0.6250         -0.0893
one ranking                                      -               -
  query_id is not supported by 'one ranking', which takes one ranking: pass one
  query at a time.
R-precision                                 0.6000               -
Means over 1 query. scikit-learn's AP, and other conventions without queries,
take all rows as one ranking."""


def test_a_table_has_its_lines():
    levels = Grid("a name of levels that is wider than its column", (0.5, 1.0))
    conventions = [
        Convention(name="two reasons", area="interpolated", prevalence=0.25),
        Convention(name="levels", area="interpolated", grid=levels),
        Convention(name="one ranking", queries="refused"),
        "R-precision",
    ]
    found = compatibility.compare_conventions(
        FAMILY_Y, FAMILY_S, query_id=[7] * 10, conventions=conventions
    )
    assert str(found) == TABLE


# Two conventions of the caller, and whether a table of `identify` has a line for both.
LINES = [
    (own(area="linear"), own(area="linear"), True),
    # Notes differ in the name.
    (own(queries="refused"), own(queries="refused"), True),
    # Both numbers are 1/4, for other reasons.
    (own(area="linear"), own(area="precisions"), False),
    # Both have no difference, and other numbers.
    (own(area="hits"), own(area="reciprocal rank"), False),
]


@pytest.mark.parametrize(("first", "second", "is_shared"), LINES)
def test_rows_that_print_the_same_share_a_line(first, second, is_shared):
    second = replace(second, name="another")
    rows, queries = ([0, 1], [2, 1]), {"query_id": [7, 7]}
    found = compatibility.compare_conventions(
        *rows, **queries, conventions=[first, second]
    )
    search = compatibility.identify("0.5", *rows).search
    text = str(replace(found, search=search))
    assert ("mine; another " in text) == is_shared
    more = [replace(found, rows=found.rows[:1] * n, search=search) for n in (10, 11)]
    assert ["And 1 more." in str(one) for one in more] == [False, True]
    assert "more." not in str(more[0])
    assert str(more[1]).count(" mine") == 9
