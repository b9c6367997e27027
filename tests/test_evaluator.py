"""The evaluator of pyspark.ml as an object: its parameters, without a session."""

import pytest

from sklearn_ap import distributed

pytest.importorskip("pyspark")


def test_the_evaluator_refuses_a_wrong_name_before_models_are_fitted():
    evaluator = distributed.AveragePrecisionEvaluator()
    for wrong in ("nope", "average_precision@0"):
        with pytest.raises(ValueError, match=wrong):
            distributed.AveragePrecisionEvaluator(metricName=wrong)
        with pytest.raises(ValueError, match=wrong):
            evaluator.setParams(metricName=wrong)
    with pytest.raises(TypeError, match="keyword"):
        distributed.AveragePrecisionEvaluator("label")


def test_the_evaluator_takes_and_tells_its_parameters():
    values = {
        "labelCol": "y", "scoreCol": "s", "rawPredictionCol": "r", "weightCol": "w",
        "metricName": "precision@5",
    }  # fmt: skip
    by_name = distributed.AveragePrecisionEvaluator(**values)
    at_once = distributed.AveragePrecisionEvaluator().setParams(**values)
    for one in (by_name, at_once, by_name.copy()):
        assert {name: getattr(one, f"get{name[0].upper()}{name[1:]}")() for name in values} == values
        assert {name: one.getOrDefault(name) for name in values} == values
    assert distributed.AveragePrecisionEvaluator().getScoreCol() == "rawPrediction"
