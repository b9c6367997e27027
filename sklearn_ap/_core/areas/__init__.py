"""The areas that scores add up; those that are read together share a file.

- `area`: `Area`, which each file declares: its sum over steps, its names and, if it is
  drawn, its path
- `step`: step average precision, whole and up to a cut
- `interpolated`: the best precision at each recall or beyond, also at levels
- `joined`: operating points joined by straight lines, or as Davis and Goadrich do
- `hits`: positives counted: recall, precision, and the rank of the first positive
"""
