"""The areas from which scores are computed. Areas with similar formulas share a file.

- `area`: `Area`, the type of all areas: the sum over steps and the names
- `step`: step average precision, of whole rankings and up to a cut
- `interpolated`: the best precision at each recall or beyond, also at recall levels
- `joined`: operating points joined by straight lines, or as Davis and Goadrich do
- `hits`: areas that count positives, such as recall, and areas of the first positive,
  such as the reciprocal rank
"""
