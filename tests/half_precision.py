"""Scores of 16 bits, and a watch on what numpy sorts.

On processors with AVX-512, numpy 2.4 sorts repeated negative floats of 16 bits in a
wrong order, so no array of them may reach a sort. Other processors sort them rightly:
there, only a watch sees such a sort.
"""

import sys
from contextlib import contextmanager

import numpy as np
import pytest

SORTS = {"sort", "argsort", "partition", "argpartition"}


@contextmanager
def watched():
    """Fail if a float of 16 bits is sorted, by a method of an array or by `lexsort`."""
    found, lexsort = [], np.lexsort

    def note(values, frame):
        if values.dtype == np.float16:
            found.append(f"{frame.f_code.co_filename}:{frame.f_lineno}")

    def watch(frame, event, called):
        # Functions such as `unique` and `median` call one of these methods.
        if event == "c_call" and called.__name__ in SORTS:
            values = getattr(called, "__self__", None)
            if isinstance(values, np.ndarray):
                note(values, frame)

    def watched_lexsort(keys, *args, **kwargs):
        for key in map(np.asarray, keys):
            note(key, sys._getframe(1))
        return lexsort(keys, *args, **kwargs)

    previous = sys.getprofile()
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(np, "lexsort", watched_lexsort)
        sys.setprofile(watch)
        try:
            yield
        finally:
            sys.setprofile(previous)
    assert not found, "floats of 16 bits are sorted here: use `without_float16`"


def half_scores(seed=0, n=600, columns=()):
    """Return labels with scores of 16 bits, most of them repeated and negative."""
    rng = np.random.default_rng(seed)
    score = rng.choice([-2.0, -1.0, -1.0, -0.5, 0.25], (n, *columns))
    score += rng.choice([0.0, 2.0**-8], score.shape)
    return (rng.random(score.shape) < 0.3).astype(int), score.astype(np.float16)
