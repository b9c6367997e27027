"""Packages that were run and agree with no record, and why."""

from .._frozen import Frozen

_AGREES = "it was run, and agrees with no record"

NOT_REPRODUCED: Frozen[str, str] = Frozen(
    {
        "H2O": "its pr_auc puts the scores of more than about 400 rows into 400 bins",
        "river": f"where scores are equal, {_AGREES}",
        "sentence-transformers": (
            "its InformationRetrievalEvaluator orders equal scores by ascending id; without equal scores it "
            "is 'recommenders map_at_k'"
        ),
        "nuScenes": _AGREES,
        "cityscapes": _AGREES,
        "Elliot": _AGREES,
    }
)
