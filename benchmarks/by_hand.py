"""What a user writes without a package: no checks, one ranking, labels and scores as arrays."""

import numpy as np

__all__ = ["average_precision", "weighted_average_precision"]


def average_precision(y_true: np.ndarray, y_score: np.ndarray) -> float:
    order = np.argsort(-y_score, kind="stable")
    y_true, y_score = y_true[order], y_score[order]
    last_of_score = np.append(np.flatnonzero(np.diff(y_score)), y_true.size - 1)
    tp = np.cumsum(y_true)[last_of_score]
    precision = tp / (last_of_score + 1)
    recall = tp / tp[-1]
    return float(np.sum(np.diff(recall, prepend=0.0) * precision))


def weighted_average_precision(y_true: np.ndarray, y_score: np.ndarray, weight: np.ndarray) -> float:
    order = np.argsort(-y_score, kind="stable")
    y_true, y_score, weight = y_true[order], y_score[order], weight[order]
    last_of_score = np.append(np.flatnonzero(np.diff(y_score)), y_true.size - 1)
    tp = np.cumsum(y_true * weight)[last_of_score]
    precision = tp / np.cumsum(weight)[last_of_score]
    recall = tp / tp[-1]
    return float(np.sum(np.diff(recall, prepend=0.0) * precision))
