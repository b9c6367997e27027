"""What the caller may pass, and the only modules that refuse it.

Every argument is read once. The result is a `Checked`, a number or a word, and no later module checks it
again. `RULES` lists what may not be combined, in one table for scores and records. No reduction raises.
"""

from ._options import (
    INTERPOLATIONS,
    NORMALIZERS,
    RANKED_TIES,
    TIES,
    check_option,
    is_real,
    read_beta,
    read_flag,
    read_k,
    read_level,
    read_prevalence,
    read_recall_levels,
    read_zero_division,
)
from ._queries import ObjectIds, QueryIds, distinct_queries, grouped, id_like, listed, read_ids, read_numbered
from ._read import Checked, read, read_curve, recognise
from ._rules import RULES, Asked, Rule, broken, refuse
from ._totals import Stated, check_named, named_queries, not_below_found, read_totals, totals_of_rankings
from ._values import gathered, is_missing, like, on_host, reference_of, refuse_mask

__all__ = [
    "INTERPOLATIONS",
    "NORMALIZERS",
    "RANKED_TIES",
    "RULES",
    "TIES",
    "Asked",
    "Checked",
    "ObjectIds",
    "QueryIds",
    "Rule",
    "Stated",
    "broken",
    "check_named",
    "check_option",
    "distinct_queries",
    "gathered",
    "grouped",
    "id_like",
    "is_missing",
    "is_real",
    "like",
    "listed",
    "named_queries",
    "not_below_found",
    "on_host",
    "read",
    "read_beta",
    "read_curve",
    "read_flag",
    "read_ids",
    "read_k",
    "read_level",
    "read_numbered",
    "read_prevalence",
    "read_recall_levels",
    "read_totals",
    "read_zero_division",
    "recognise",
    "reference_of",
    "refuse",
    "refuse_mask",
    "totals_of_rankings",
]
