"""scikit-learn's own test functions, from its wheel, run with our
`average_precision_score` in its place.
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
# They read the text of the error for a wrong pos_label, which was another one before
# 1.9.
OLDER_TEXT = "" if NEWEST else "not pos_label_error"
MODULES = ("test_ranking", "test_common", "test_classification", "test_score_objects")
# The tests that call the function; the others of these modules run behind the marker
# alone.
CALLERS = "(average_precision or precision_recall_curve or inf_nan_input or order_invariance_multilabel"
CALLERS += " or score_scale_invariance or raise_for_incorrect_shape or invalid_default_pos_label)"


# Its own function takes arrays of other namespaces since 1.9; these tests run in the
# same process.
ARRAYS = {"SCIPY_ARRAY_API": "1"} if NEWEST else {}


ALL = pytest.param("", 54, marks=pytest.mark.slow, id="all")


@pytest.mark.parametrize(
    ("chosen", "at_least"),
    [pytest.param(CALLERS, 95 if NEWEST else 54, id="callers"), ALL],
)
def test_scikit_learn_tests_pass_with_ours(chosen, at_least, tmp_path):
    command = [
        sys.executable,
        "-m",
        "pytest",
        "-p",
        "use_sklearn_ap",
        "-p",
        "no:cacheprovider",
        "-q",
        "-k",
    ]
    command += [" and ".join(filter(None, [chosen, OLDER_TEXT])), "--pyargs"]
    command += [f"sklearn.metrics.tests.{module}" for module in MODULES]
    environment = {
        **os.environ,
        **ARRAYS,
        "PYTHONPATH": os.pathsep.join([str(HERE), *sys.path]),
    }
    options = {"cwd": tmp_path, "env": environment, "text": True}
    finished = subprocess.run(command, capture_output=True, check=False, **options)
    assert finished.returncode == 0, finished.stdout[-5000:]
    called = re.search(r"tests that called sklearn_ap: (\d+)", finished.stdout)
    assert called is not None
    assert int(called[1]) >= at_least, finished.stdout[-500:]
