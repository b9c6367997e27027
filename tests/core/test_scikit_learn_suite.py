"""scikit-learn's own tests of its score pass with our `average_precision_score` in its
place. They are read from its wheel.
"""

import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

from scoring import VERSION

HERE = Path(__file__).parents[1]
NEWEST = VERSION >= (1, 9)
MODULES = ("test_ranking", "test_common", "test_classification", "test_score_objects")
# The tests that call the function; the others of these modules run behind the marker
# alone.
CALLERS = "(average_precision or precision_recall_curve or inf_nan_input or order_invariance_multilabel"
CALLERS += " or score_scale_invariance or raise_for_incorrect_shape or invalid_default_pos_label)"
# Before 1.9, some read the text of the error for a wrong pos_label, which was another.
OLDER_TEXT = "" if NEWEST else " and not pos_label_error"


@pytest.mark.parametrize(
    ("chosen", "at_least"),
    [
        pytest.param(CALLERS, 95 if NEWEST else 54, id="callers"),
        pytest.param("test", 54, marks=pytest.mark.slow, id="all"),
    ],
)
def test_scikit_learn_tests_pass_with_ours(chosen, at_least, tmp_path):
    options = [
        "-m",
        "pytest",
        "-p",
        "use_sklearn_ap",
        "-p",
        "no:cacheprovider",
        "-q",
        "-k",
    ]
    modules = [f"sklearn.metrics.tests.{module}" for module in MODULES]
    path = os.pathsep.join([str(HERE), *sys.path])
    # Its own function takes arrays of other namespaces since 1.9; these tests run in
    # the same process.
    arrays = {"SCIPY_ARRAY_API": "1"} if NEWEST else {}
    finished = subprocess.run(
        [sys.executable, *options, chosen + OLDER_TEXT, "--pyargs", *modules],
        capture_output=True,
        check=False,
        cwd=tmp_path,
        env={**os.environ, **arrays, "PYTHONPATH": path},
        text=True,
    )
    assert finished.returncode == 0, finished.stdout[-5000:]
    called = re.search(r"tests that called sklearn_ap: (\d+)", finished.stdout)
    assert int(called[1]) >= at_least, finished.stdout[-500:]
