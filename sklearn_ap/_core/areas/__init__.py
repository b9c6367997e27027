"""The areas that scores add up; those that are read together share a file.

_step          step average precision, whole and up to a cut or a recall
_interpolated  the best precision at each recall or beyond, also at levels
_joined        operating points joined by straight lines, or as Davis and Goadrich do
_hits          positives counted: recall, precision, and the rank of the first positive

Each declares an `Area` (`_area`): its sum over steps, name, description and, if it is
drawn, its path.
"""
