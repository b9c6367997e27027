"""The code of the page about data that does not fit that needs Spark, and so Java."""

import gc
import re
import shutil
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

from sklearn_ap import average_precision_at_k_score, average_precision_score

pytest.importorskip("pyspark")
if shutil.which("java") is None:
    pytest.skip("there is no Java", allow_module_level=True)

from test_distributed_spark import spark  # noqa: F401  # a fixture

PAGE = Path(__file__).parent.parent / "docs" / "data_that_does_not_fit.md"
pytestmark = [
    pytest.mark.filterwarnings("ignore::pytest.PytestUnraisableExceptionWarning"),  # sockets of pyspark 4.0
    # The pool of a CrossValidator is never closed.
    pytest.mark.filterwarnings("ignore:unclosed running multiprocessing pool:ResourceWarning"),
    pytest.mark.filterwarnings(
        "ignore:PySpark does not yet fully support pandas"
    ),  # of pyspark 4 with pandas 3
]


def test_code_of_the_page_runs_in_spark(spark):  # noqa: F811
    from pyspark.ml.linalg import Vectors  # noqa: PLC0415  # optional, imported where it is used

    [code] = re.findall(r"^```\{code-block\} python\n(.*?)^```", PAGE.read_text(), re.DOTALL | re.MULTILINE)
    rng = np.random.default_rng(0)
    y = (rng.random(400) < 0.3).astype(float)
    X = rng.normal(size=(400, 2)) + y[:, np.newaxis]
    rows = [(Vectors.dense(x), float(label)) for x, label in zip(X, y, strict=True)]
    names = {"data": spark.createDataFrame(rows, ["features", "label"]).coalesce(1).cache()}
    exec(code, names)
    found = pd.DataFrame(map(tuple, names["scored"].collect()), columns=["label", "score"])
    gc.collect()  # here, and not in another test, whose warnings are errors
    assert len(found) == 400
    assert names["whole"] == pytest.approx(average_precision_score(found["label"], found["score"]), rel=1e-14)
    expected = average_precision_at_k_score(found["label"], found["score"], k=100)
    assert names["value"] == pytest.approx(expected, rel=1e-14)
    assert 0.3 < names["value"] < 1
