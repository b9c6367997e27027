"""Data and estimators for the tests of scorers, and the warnings that they ignore."""

import numpy as np
import sklearn
from sklearn.datasets import make_classification, make_multilabel_classification
from sklearn.ensemble import RandomForestClassifier
from sklearn.linear_model import LogisticRegression

VERSION = tuple(map(int, sklearn.__version__.split(".")[:2]))

X, Y = make_classification(150, 5, weights=[0.7], random_state=0)
X3, Y3 = make_classification(
    150, 5, n_informative=4, n_redundant=0, n_classes=3, random_state=1
)
XL, YL = make_multilabel_classification(150, 5, n_classes=3, random_state=2)
QUERY = np.repeat(np.arange(15), 10)
LOGISTIC, FOREST = LogisticRegression(), RandomForestClassifier(5, random_state=0)

# Warnings of scikit-learn about itself.
IGNORED = ("ignore::FutureWarning", "ignore::sklearn.exceptions.ConvergenceWarning")
