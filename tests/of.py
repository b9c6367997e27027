"""`python -m tests.of FILE ...`: the pytest line for files of the package.

It has the tests that should see a fault of these files, the likeliest first.
"""

import sys
from fnmatch import fnmatch
from pathlib import Path

ROOT = Path(__file__).parents[1]

KERNELS = [
    "ranking",
    "against_oracle",
    "kernels",
    "cuts",
]
LEAVES = ["against_oracle", "average_precision", "papers", "missed_positives"]
AT_K = ["against_oracle", "at_k", "papers", "reciprocal_rank"]
READING = ["reading", "averaging", "queries", "missed_positives", "curves"]
INTERVALS = [
    "influence",
    "estimate*s",
    "comparisons",
    "result_texts",
    "compare_by_query",
]
INTERVALS += ["independent", "fixed_queries", "estimate_calls", "by_query"]
RECORDS = ["score_as", "walks", "identify", "peers"]
SCORERS = ["scorers", "scorer_*"]
DISPLAYS = ["*display*"]
SPINE = [
    *LEAVES,
    "averaging",
    "at_k",
    "kernels",
    "ranking",
    "curves",
    "queries",
    "invariances",
]

# Names of test files without "test_", the likeliest first. The first pattern that fits
# a file counts. A test named like the file comes first.
TESTS = {
    "_core/ranking/rankings": [
        *KERNELS,
        "at_k",
        "missed_positives",
        "sorted_stream",
        "distributed_contract",
    ],
    "_core/ranking/rank": ["prevalence", "against_oracle", *KERNELS, "invariances"],
    "_core/ranking/prevalence": ["prevalence", *KERNELS],
    "_uncertainty/cells": ["bootstrap", "influence", "estimates"],
    "_core/ranking/cut": [*KERNELS, "cuts"],
    "_core/ranking/runs": [*KERNELS, "sorted_stream"],
    "_core/ranking/levels": ["average_precision", *KERNELS],
    "_core/ranking/*": KERNELS,
    "distributed/_spark": ["distributed_spark", "distributed_contract"],
    "distributed/_state": ["ranking_state"],
    "distributed/_positives": ["distributed_positives", "distributed_contract"],
    "distributed/_streams": ["sorted_stream", "distributed_contract"],
    "distributed/*": [
        "distributed_files",
        "distributed_contract",
        "distributed_faults",
        "file",
        "sorted_stream",
        "distributed_ids",
    ],
    "_core/reading/values": ["array_api", *READING],
    "_core/reading/queries": [
        "queries",
        "by_query",
        *READING,
        "against_oracle",
    ],
    "_core/reading/options": [
        *READING,
        "at_k",
        "prevalence",
        "common_keywords",
        "operating_points",
        "refusals",
    ],
    "_core/reading/*": [*READING, "scikit_learn_parity"],
    "_core/evaluate": ["averaging", "prevalence", "against_oracle", *READING],
    "_core/areas/hits": [
        *AT_K,
        "operating_points",
        "hit_curve_*",
        "sorted_stream",
    ],
    "_core/areas/step": [*LEAVES, *AT_K, "influence", *DISPLAYS, "sorted_stream"],
    "_core/areas/area": [*AT_K, *DISPLAYS, "influence"],
    "_core/areas/*": [*LEAVES, "influence", *DISPLAYS, "sorted_stream"],
    "_core/definition": [*LEAVES, "at_k", "invariances", "record_pages"],
    "_core/registry": [
        "score_as",
        *LEAVES,
        "at_k",
        "scorer_objects",
        "scorers",
        "public_api",
    ],
    "_core/curves": ["curves", "papers", "missed_positives", "scikit_learn_parity"],
    "_core/scorers": SCORERS,
    "_core/estimators": SCORERS,
    "_uncertainty/chance": ["chance"],
    "_uncertainty/*": [
        *INTERVALS,
        "bootstrap",
        "heavy_negatives",
        "perfect_samples",
        "shares_of_few_rows",
    ],
    "_report/*": ["first_answer", "report", "several_models", "file_large"],
    "_command/classes": ["classes"],
    "_command/checks": ["gates", "fail_each", "first_answer"],
    "_command/options": ["file_errors", "first_answer", "gates"],
    "_command/output": [
        "file",
        "file_queries",
        "json",
        "file_errors",
        "first_answer",
    ],
    "_judgements/*": ["read_trec"],
    "_command/run": [
        "main",
        "first_answer",
        "file",
        "file_errors",
        "file_queries",
        "against",
    ],
    "_shown/numbers": ["invariances", "influence", "missed_positives"],
    "_core/public": [
        "result_texts",
        "averaging",
        "curves",
        *DISPLAYS,
        "report",
        "walks",
    ],
    "_core/scores/*": ["common_keywords", *SPINE, "public_api"],
    "compatibility/_records": ["record_pages", *RECORDS],
    "compatibility/*": RECORDS,
}


def suites_of(file: Path) -> list[str]:
    """Return the test files of a file of the package; all of its folder where the map
    has no pattern.
    """
    place = file.resolve().relative_to(ROOT / "sklearn_ap").with_suffix("").as_posix()
    folder = place.partition("/")[0].lstrip("_")
    names = [place.rpartition("/")[2].lstrip("_"), "*"]
    for pattern, of_pattern in TESTS.items():
        if fnmatch(place, pattern):
            names[1:] = of_pattern
            break
    found = [
        path.relative_to(ROOT).as_posix()
        for name in names
        for path in sorted((ROOT / "tests").glob(f"*/test_{name}.py"))
        if name != "*" or path.parent.name == folder
    ]
    return list(dict.fromkeys(found))


if __name__ == "__main__":
    every = dict.fromkeys(one for file in sys.argv[1:] for one in suites_of(Path(file)))
    sys.stdout.write(f"python -m pytest -n 2 {' '.join(every)}\n")
