"""An evaluator for pyspark.ml. This file imports pyspark, so it is imported on first use."""
# ruff: noqa: ARG002, N802, N803, N815  # the names are pyspark's, and keyword_only reads the arguments

from typing import Any

from pyspark import keyword_only
from pyspark.ml.evaluation import Evaluator
from pyspark.ml.param import Param, Params, TypeConverters
from pyspark.ml.param.shared import HasLabelCol, HasRawPredictionCol, HasWeightCol
from pyspark.ml.util import DefaultParamsReadable, DefaultParamsWritable
from pyspark.sql import DataFrame

from .._scorers import get_scorer
from ._api import score


def _name_of_score(value: Any) -> str:
    """Return the name of a scorer, or raise before a model is fitted for it."""
    get_scorer(value)
    return str(value)


class AveragePrecisionEvaluator(
    Evaluator,
    HasLabelCol,
    HasRawPredictionCol,
    HasWeightCol,
    DefaultParamsReadable["AveragePrecisionEvaluator"],
    DefaultParamsWritable,
):
    """Evaluator of average precision and other ranking scores, for tuning in Spark.

    It is exact: unlike ``areaUnderPR`` of `pyspark.ml.evaluation.BinaryClassificationEvaluator`, it neither
    joins scores in bins nor draws lines between the points of the curve.

    .. versionadded:: 0.1

    Parameters
    ----------
    labelCol : str, default="label"
        Column of the labels, 0.0 and 1.0.

    scoreCol : str, default=None
        Column of the scores, if it is not `rawPredictionCol`: numbers or vectors of length 2, such as
        ``'probability'``.

    rawPredictionCol : str, default="rawPrediction"
        Column of the scores that classifiers of pyspark.ml write: numbers, or vectors of length 2, whose
        second number is the score of label 1.

    weightCol : str, default=None
        Column of the sample weights; without it, all rows have the same weight.

    metricName : str, default="average_precision"
        A name as in :func:`sklearn_ap.get_scorer`, such as ``'average_precision@100'`` or ``'recall@0.05'``.

    Raises
    ------
    ValueError
        If there is no such score. When the evaluator is used: if a column is missing or contains values that
        are refused, in one line with the partition and the column.

    See Also
    --------
    sklearn_ap.distributed.scores : Several scores of a DataFrame, in one scan.

    Notes
    -----
    Parameters are passed by keyword, as those of Spark's own evaluators. The executors need this package.

    Examples
    --------
    >>> from pyspark.ml.tuning import CrossValidator  # doctest: +SKIP
    >>> from sklearn_ap.distributed import AveragePrecisionEvaluator  # doctest: +SKIP
    >>> evaluator = AveragePrecisionEvaluator(metricName="average_precision@100")  # doctest: +SKIP
    >>> CrossValidator(estimator=model, estimatorParamMaps=grid, evaluator=evaluator)  # doctest: +SKIP
    """

    scoreCol: "Param[str]" = Param(
        Params._dummy(), "scoreCol", "score column name", typeConverter=TypeConverters.toString
    )
    metricName: "Param[str]" = Param(
        Params._dummy(),
        "metricName",
        "name of a scorer of sklearn_ap, such as average_precision@100",
        typeConverter=_name_of_score,
    )
    _input_kwargs: dict[str, Any]

    @keyword_only
    def __init__(
        self,
        *,
        labelCol: str = "label",
        scoreCol: str | None = None,
        rawPredictionCol: str = "rawPrediction",
        weightCol: str | None = None,
        metricName: str = "average_precision",
    ) -> None:
        super().__init__()
        self.__module__ = str(__package__)  # which saved evaluators name, and are loaded from
        self._setDefault(metricName="average_precision")
        self._set(**self._input_kwargs)

    @keyword_only
    def setParams(
        self,
        *,
        labelCol: str = "label",
        scoreCol: str | None = None,
        rawPredictionCol: str = "rawPrediction",
        weightCol: str | None = None,
        metricName: str = "average_precision",
    ) -> "AveragePrecisionEvaluator":
        """Set the parameters that are given."""
        return self._set(**self._input_kwargs)

    def getScoreCol(self) -> str:
        """Return the column that scores are read from."""
        return self.getOrDefault(self.scoreCol if self.isDefined(self.scoreCol) else self.rawPredictionCol)

    def getMetricName(self) -> str:
        """Return the name of the score."""
        return self.getOrDefault(self.metricName)

    def isLargerBetter(self) -> bool:
        """Return True."""
        return True

    def _evaluate(self, dataset: DataFrame) -> float:
        name = self.getMetricName()
        weights = self.getWeightCol() if self.isDefined(self.weightCol) else None
        return score(
            name, dataset, self.getLabelCol(), self.getScoreCol(), average="macro", sample_weight=weights
        )
