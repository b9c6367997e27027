"""The path of an area is a line above an area whose size is the score."""

import numpy as np
import pytest
from sklearn.metrics import precision_recall_curve

from sklearn_ap._core.areas.interpolated import INTERPOLATED
from sklearn_ap._core.areas.joined import DAVIS_GOADRICH, LINEAR
from sklearn_ap._core.areas.step import STEP
from sklearn_ap._core.registry import NUMBERS
from sklearn_ap._displays.paths import PATHS, DrawnPath

# The scores of whole curves, by their area.
WHOLE = {
    number.definition.area: number
    for number in NUMBERS
    if number.definition.cut is None and number.definition.grid is None
}
ELEVEN_POINT = [number for number in NUMBERS if number.definition.grid == 11]
RNG = np.random.default_rng(3)
Y_TRUE = RNG.random(400) < 0.3
# Some scores are equal.
Y_SCORE = (RNG.normal(size=400) + Y_TRUE).round(1)
# At the highest thresholds, precision and recall are 0.
NEGATIVES_FIRST = Y_TRUE & (np.sort(Y_SCORE)[-20] > Y_SCORE)


def path_of(definition, y_true=Y_TRUE):
    precision, recall, threshold = precision_recall_curve(y_true, Y_SCORE)
    share = [*(threshold[:, np.newaxis] <= Y_SCORE).mean(axis=1), 0.0]
    points = DrawnPath(precision, recall, np.array(share))
    return PATHS[definition.area](points, definition.grid)


@pytest.mark.parametrize(
    "area", [STEP, LINEAR, INTERPOLATED, DAVIS_GOADRICH], ids=lambda area: area.name
)
@pytest.mark.parametrize("y_true", [Y_TRUE, NEGATIVES_FIRST], ids=["any", "negatives"])
def test_area_below_a_path_is_the_score(area, y_true):
    number = WHOLE[area]
    path = path_of(number.definition, y_true)
    height = path.precision[:-1]
    if path.drawstyle == "default":
        height = (path.precision[:-1] + path.precision[1:]) / 2
    found = -(np.diff(path.recall) * height).sum()
    expected = number.score(y_true, Y_SCORE, **number.options)
    # The path of a curve consists of short straight lines.
    rel = 1e-4 if area is DAVIS_GOADRICH else 1e-9
    assert found == pytest.approx(expected, rel=rel)


def test_mean_of_the_dots_is_the_score_at_eleven_levels():
    [number] = ELEVEN_POINT
    path = path_of(number.definition)
    dots = path.precision[[*path.dots]]
    assert dots.size == 11
    assert dots.mean() == pytest.approx(number.score(Y_TRUE, Y_SCORE, **number.options))
    # The recall of the second positive is 0.8, but for its rounding.
    rows = {"y_score": [5, 4, 3, 2, 1], "sample_weight": [0.3, 0.5, 0.9, 0.9, 0.3]}
    points = DrawnPath(*precision_recall_curve([1, 0, 1, 0, 1], **rows)[:2])
    path = PATHS[number.definition.area](points, number.definition.grid)
    expected = number.score([1, 0, 1, 0, 1], **rows, **number.options)
    assert path.precision[[*path.dots]].mean() == pytest.approx(expected)


@pytest.mark.filterwarnings("ignore:No positive class found:UserWarning")
@pytest.mark.parametrize("area", [LINEAR, DAVIS_GOADRICH], ids=lambda area: area.name)
def test_path_without_positives_is_flat(area):
    path = path_of(WHOLE[area].definition, np.zeros(400))
    assert not path.precision.any()
