"""Numbers that papers print, and theorems that they prove.

McCann: S. McCann, "It's a bird... it's a plane... it... depends on your classifier's
threshold", 2011. Zhu: M. Zhu, "Recall, precision and average precision", Working Paper
2004-09, University of Waterloo, 2004. Dingwall: N. Dingwall, C. Potts, "Are you sure
about that?! Average precision", Roam Analytics, 2016.

Zhu's h_A and h_B of Table 2 and all of Table 3 are not reproducible, since their data
were never published.
"""

import pytest

from sklearn_ap import (
    average_precision_score,
    eleven_point_average_precision_score,
)

# Printed or proved: the score, labels from best to worst as printed, and the value.
KNOWN = {
    # He prints 0.782, having rounded one precision to 0.66.
    "McCann": (average_precision_score, "1101010001", 47 / 60),
    "McCann, eleven-point": (
        eleven_point_average_precision_score,
        "1101010001",
        53 / 66,
    ),
    # Table 1: algorithms A and B.
    "Zhu A": (average_precision_score, "1101000000", 11 / 12),
    "Zhu B": (average_precision_score, "1001000100", 5 / 8),
    "Dingwall": (average_precision_score, "1101011000", 347 / 420),
}


@pytest.mark.parametrize(("score", "hits", "value"), KNOWN.values(), ids=KNOWN)
def test_known_values(score, hits, value):
    labels, scores = [*map(int, hits)], [*range(len(hits), 0, -1)]
    assert score(labels, scores) == pytest.approx(value, abs=1e-15)
