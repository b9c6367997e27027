"""Labels and scores for which conventions have different numbers, and the arguments that
a record uses.
"""

from sklearn_ap.compatibility._records import find_convention, unused_arguments

# Every area has another number for FAMILY. McCann published the ten images. In TIED,
# any cut falls among equal scores of both classes.
FAMILY_Y, FAMILY_S = [1, 0, 1, 1, 0, 0, 1, 0, 0, 1], [10, 9, 8, 7, 6, 5, 4, 3, 2, 1]
MCCANN_Y, MCCANN_S = (
    [1, 1, 0, 1, 0, 1, 0, 0, 0, 1],
    [0.99, 0.95, 0.9, 0.85, 0.8, 0.7, 0.6, 0.5, 0.4, 0.3],
)
TIED_Y, TIED_S = [1, 0, 1, 1, 0, 0], [0.9, 0.5, 0.5, 0.5, 0.5, 0.1]


def used_by(record, **arguments):
    """Return the arguments that a record uses; `score_as` refuses the others."""
    unused = unused_arguments(find_convention(record))
    return {name: arguments[name] for name in arguments if name not in unused}
