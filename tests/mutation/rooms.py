"""Which test files should see a fault of a file, and which files are left out."""

from fnmatch import filter as fnmatch_all
from fnmatch import fnmatch
from pathlib import Path

__all__ = ["files_of", "is_known", "suites_of"]

KERNELS = [
    "ranking",
    "against_oracle",
    "kernels",
    "plain_kernel",
    "scaled",
    "cuts",
    "interleaved",
]
LEAVES = ["against_oracle", "average_precision", "papers", "missed_positives"]
AT_K = ["against_oracle", "at_k", "papers", "reciprocal_rank"]
READING = ["reading", "averaging", "queries", "missed_positives", "curves"]
INTERVALS = [
    "influence",
    "estimate*s",
    "comparisons",
    "result_texts",
    "margins",
    "compare_by_query",
]
INTERVALS += ["independent", "fixed_queries", "estimate_calls"]
RECORDS = ["score_as", "walks", "identify", "ranges", "peers"]
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
# a file counts. Names that no file has are passed over, as modules move between rooms.
# A test named like the file comes first.
ROOMS = {
    "_ranking/_rankings": [
        *KERNELS,
        "at_k",
        "missed_positives",
        "sorted_stream",
        "distributed_contract",
    ],
    "_ranking/_rank": ["prevalence", "against_oracle", *KERNELS, "invariances"],
    "_ranking/_prevalence": ["prevalence", *KERNELS],
    "_ranking/_cells": ["bootstrap", "influence", "estimates"],
    "_ranking/_cut": [*KERNELS, "cuts"],
    "_ranking/_blocks": [*KERNELS, "sorted_stream"],
    "_ranking/_unweighted": ["scaled", "interleaved", *KERNELS],
    "_ranking/*": KERNELS,
    "distributed/_local": [
        "distributed_faults",
        "distributed_contract",
        "distributed_ids",
        "distributed_files",
        "file",
    ],
    "distributed/_arrow": ["distributed_files"],
    "distributed/_duckdb": ["distributed_faults", "distributed_contract"],
    "distributed/_json": ["distributed_files", "file"],
    "distributed/_text": ["distributed_files", "file"],
    "distributed/_spark": ["distributed_spark", "distributed_contract"],
    "distributed/_state": ["ranking_state"],
    "distributed/_groups": ["sorted_stream", "distributed_contract"],
    "distributed/_positives": ["distributed_positives", "distributed_contract"],
    "distributed/_scores": ["sorted_stream", "distributed_contract"],
    "distributed/*": [
        "distributed_files",
        "distributed_contract",
        "sorted_stream",
        "distributed_ids",
    ],
    "_reading/_values": ["array_api", *READING],
    "_reading/_queries": [
        "queries",
        "by_query",
        "interleaved",
        *READING,
        "against_oracle",
    ],
    "_reading/_options": [
        *READING,
        "at_k",
        "prevalence",
        "common_keywords",
        "operating_points",
        "refusals",
    ],
    "_reading/*": [*READING, "scikit_learn_parity"],
    "_api": ["averaging", "prevalence", "against_oracle", *READING],
    "_areas/_hits": [
        *AT_K,
        "at_level",
        "operating_points",
        "hit_curve_*",
        "sorted_stream",
    ],
    "_areas/_step": [*LEAVES, *AT_K, "influence", *DISPLAYS, "sorted_stream"],
    "_areas/_area": [*AT_K, *DISPLAYS, "influence"],
    "_areas/*": [*LEAVES, "influence", *DISPLAYS, "sorted_stream"],
    "_definition": [*LEAVES, "at_k", "at_level", "invariances", "record_pages"],
    "_registry": [
        "score_as",
        *LEAVES,
        "at_k",
        "scorer_objects",
        "scorers",
        "public_api",
    ],
    "_curves": ["curves", "papers", "missed_positives", "scikit_learn_parity"],
    "_points/_cells_of_threshold": ["operating_points"],
    "_points/_conditions": ["operating_points", "budgets"],
    "_points/_operating_points": ["budgets", "operating_points", "at_level"],
    "_scorers": SCORERS,
    "_estimators": SCORERS,
    "_displays/_rows": ["bands", "average_precision_display*"],
    "_displays/_hit*": ["hit_curve_*"],
    "_displays/_average_precision": [
        "average_precision_display*",
        "missed_positives",
        "bands",
    ],
    "_displays/*": DISPLAYS,
    "_uncertainty/_chance": ["chance"],
    "_uncertainty/_folds": ["estimate_cv_results"],
    "_uncertainty/_many": ["many"],
    "_uncertainty/_sample_size": ["sample_size"],
    "_uncertainty/*": [
        *INTERVALS,
        "bootstrap",
        "heavy_negatives",
        "perfect_samples",
        "shares_of_few_rows",
    ],
    "_points/_budgets": ["budgets"],
    "_points/_by_query": ["by_query", "queries"],
    "_answer/*": ["first_answer", "report", "file_large"],
    "_report/*": ["report"],
    "_command/_classes": ["classes"],
    "_command/_checks": ["first_answer", "trec_files", "fail_each"],
    "_command/_options": ["file_errors", "first_answer"],
    "_command/_output": [
        "file",
        "file_queries",
        "trec_files",
        "json",
        "file_errors",
        "first_answer",
    ],
    "_judgements/*": ["trec_files"],
    "_command/_run": ["main", "first_answer", "file", "file_errors", "file_queries"],
    "_rounding": ["invariances", "influence", "missed_positives", "chance"],
    "_public": ["result_texts", "averaging", "curves", *DISPLAYS, "report", "walks"],
    "_scores/*": ["common_keywords", *SPINE, "public_api"],
    "compatibility/_records": ["record_pages", *RECORDS, "query_weight"],
    "compatibility/*": [*RECORDS, "query_weight"],
}
LEFT_OUT = {
    "*__init__": "names alone",
    "*__main__": "run as a process",
    "_typing": "types alone",
}


def files_of(package: Path) -> tuple[list[str], dict[str, str]]:
    """Return the files that faults are planted in, and those that are left out with the
    reason.
    """
    files = sorted(
        path.relative_to(package).with_suffix("").as_posix()
        for path in package.rglob("*.py")
    )
    left_out = {}
    for file in files:
        reasons = [
            reason for pattern, reason in LEFT_OUT.items() if fnmatch(file, pattern)
        ]
        if reasons:
            left_out[file] = reasons[0]
    return [file for file in files if file not in left_out], left_out


def is_known(file: str) -> bool:
    """Tell whether the map has a pattern for a file; if not, the tests of the whole
    spine are run.
    """
    return any(fnmatch(file, pattern) for pattern in ROOMS)


def suites_of(tests: Path, file: str) -> list[str]:
    """Return the names of the test files that should see a fault of a file, the
    likeliest first.
    """
    own = file.rpartition("/")[2].lstrip("_")
    patterns = next(
        (room for pattern, room in ROOMS.items() if fnmatch(file, pattern)), SPINE
    )
    files = sorted(path.name for path in tests.iterdir())
    found = [
        one
        for name in (own, *patterns)
        for one in fnmatch_all(files, f"test_{name}.py")
    ]
    if not found:
        raise SystemExit(
            f"{file}.py: {tests} has no test file for it; add a pattern to tests/mutation/rooms.py."
        )
    return list(dict.fromkeys(found))
