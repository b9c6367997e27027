"""Constants that are chosen, not derived: with other values, the formulas are still
defined, but intervals or tests of some setting are wrong.

The comment of a rule says what fails without it, and names the file of `tests` that was
seen to fail, which is in `tests/uncertainty` unless it says otherwise. "Covers .71"
means that 95 % intervals of this setting contain the truth in .71 of samples; "rejects
.09" means that a test at .05 rejects equal models in .09 of samples.
"""

import numpy as np

# --- the contribution of a unit -------------------------------------------------------

# In other samples, a cut or a recall is at another place: up to this number of standard
# errors away. So slopes are those between these places. With the slope at the place
# itself, standard errors are not those of a bootstrap (`test_law_of_errors`).
REACH_OF_SLOPE = 2.0
# At recall level 0, the score is the best precision of the first few rows. The
# contributions of these rows show less than its variance. So a part of a row is added,
# whose precision is that of the first rows. Without it, equal models at eleven recall
# levels reject .09 to .39, in place of .02 to .09 (`test_levels`).
#
# This number is how much of a row. If the first rows are positive with probability q,
# the variance is right with 2.6 rows for q = .1, .9 rows for .5, .6 rows for .7, and
# .3 rows for .9. So 3/4 is right for about six positives in the first ten rows.
ADDED_ROW = 0.75
# How many first rows have the precision of the added row.
FIRST_ROWS = 10.0
# The greatest share of the recall levels that the first positive may reach. Beyond it,
# there is no interval, since the score depends on the first few rows: with five levels,
# intervals of a convex curve cover .71 (`test_each_rule`).
MOST_AT_FIRST = 0.12

# --- one more event -------------------------------------------------------------------

# One more negative that weighs as much as c > 1 positives is placed where this share of
# the score, divided by the root of c, is reached. Without the division, scores at a
# prevalence far below that of the sample cover less than .90 (`test_each_rule`).
SHARE_ABOVE_EVENT = 0.5
# In the test of Welch, such a negative may change the score by more than all units vary
# it, so that no difference would be found. So its change, `alarm`, counts as at most
#
#     alarm**p * max(lost, standard_error)**(1 - p)
#
# where p is this power, and `lost` is the change by one more positive that ranks last.
# With p = 1/2, this is the geometric mean of both. At a hundredth of the prevalence of
# large samples, tests reject equal models in .55 with p = 0, in place of .15
# (`test_each_rule`).
POWER_OF_HEAVY_ALARM = 0.5

# --- places of a threshold ------------------------------------------------------------

# The threshold of a recall, or of the first rows, is at another place in each sample:
# at these distances, in standard errors. With the place of the sample itself only,
# intervals cover less than .90 at a step of the curve (`test_each_rule`).
DISTANCES = np.linspace(-4, 4, 33)

# --- tests ----------------------------------------------------------------------------

# The test compares powers of scores, whose errors are nearly symmetric. The exponent is
# the mean of both scores, and at least this number. With 20 positives, the test finds
# .48 of the differences of two low scores, and .11 with the exponent 1. With 12
# positives, it finds .84 of the differences of two high scores, and .76 with the cube
# root (`test_each_rule`).
LEAST_POWER = 1 / 3
# Degrees of freedom that the contributions of equal models lose: fewer than distances
# from a mean, since a share of the difference is added to them (`ADDED_BACK`). With 1,
# fewer differences of few positives are found (`test_paired`).
LOST_TO_SIGNS = 0.5
# The contributions x_u of units to a difference add up to 0, since they are distances
# from the difference of the sample. If both models are equal, the difference of the
# population is 0, and the test needs the distances from 0. With share_u, the part of
# unit u in the divisors of the scores, these are
#
#     x_u + ADDED_BACK * share_u * difference
#
# With 0, equal models of units of 1 and 60 rows reject .087, in place of .050
# (`test_each_rule`).
ADDED_BACK = 1.0
# If the mean of both scores is below this number, the score of few units is far from
# linear in their weights, and signs reject equal models too often. So there is a t
# test. With 0, equal models of units of 1 and 60 rows reject more than .08
# (`test_each_rule`).
LOW_SCORE = 0.3
# Number of contributions of which all signs are counted; the sum of the others is
# normal. From six on, the rate of rejections stays the same. With 0, the p-value of
# three units is not a multiple of 1 / 8 (`test_laws_of_small_samples`).
N_COUNTED_SIGNS = 8

# Independent samples have a permutation test if one of them has fewer effective
# positives than this, or units that contain one. With 0, Welch's test finds .11 of the
# differences between 6 and 200 positives, in place of .79 (`test_each_rule`).
FEW_TO_PERMUTE = 200
# Number of random choices of units.
N_CHOICES = 999
# If the p-value is at most `RARE`, there are more choices, so that many tests together
# can reject (Bonferroni).
N_CHOICES_IF_RARE, RARE = 9_999, 0.01
# The most rows that all choices together score, which takes two seconds. So there are
# 999 choices of up to 20,000 rows, and 9,999 of up to 2,000.
MOST_ROWS_CHOSEN = 20_000_000
# If the shares of positives, found or missed, in the weight of both samples are farther
# apart than this number of standard errors, samples are not of one population, and have
# the test of Welch. With infinity, equal scores of 10 and 600 positives, one in ten and
# three in ten rows, are rejected in .31 (`test_permutation` holds where the limit is).
MOST_BETWEEN_SHARES = 2.0

# --- warnings -------------------------------------------------------------------------

# All positives of one of two independent samples weigh as much as fewer negatives than
# this. Then the test of Welch rejects equal models in .13 to .6 (`test_each_rule`).
FEWEST_AS_HEAVY = 5.0
# There are fewer positives than this, or units that contain a positive, or rankings of
# a mean (`test_rows`).
FEWEST_POSITIVES = 3
# A band has fewer positives than this, or units that contain a positive. Its precision
# is that of single rows, so it needs more (`tests/displays/test_bands.py`).
FEWEST_OF_BAND = 10
# A few clusters contain most negatives: the effective number of units that contain a
# negative is below this one, and such units are many times as many (`TIMES_MORE`). Then
# intervals cover .59 to .89 (`test_rows`).
FEWEST_CLUSTERS = 6
# The number of units that contain a negative is at least this number of times their
# effective number, so that a few of them are much larger than the others.
TIMES_MORE = 10
# The mean weight of the negatives above the median positive is more than this number of
# times that of all negatives. Then intervals cover .88 to .94 (`test_rows`).
TIMES_HEAVIER = 4
# If fewer negatives than this are above the median positive, their mean weight is too
# imprecise for this warning (`test_rows`).
FEWEST_AT_TOP = 5
# Two models give different scores to fewer positives than this, and equal scores to
# other positives. Then intervals cover as little as .53 (`test_rows`).
FEWEST_THAT_DIFFER = 5
# More positives than this are compared at few recall levels. At 800 positives, eleven
# levels find .24 of the differences that step AP finds (`test_levels`).
MANY_POSITIVES = 300
# Recall levels are few if the first positive reaches at least this share of them.
LARGE_SHARE_AT_FIRST = 0.05
# Positives were missed, and a recall level more or less moves the score by more than
# this number of standard errors. Then intervals cover .54 to .99, and equal models are
# rejected in .07 to .33 (`test_missed_rows`).
MOST_PER_LEVEL = 1.0
