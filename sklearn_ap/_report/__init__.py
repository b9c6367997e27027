"""The first answer about scores, which the command prints, and a page that shows it.

- `page`: begin here: `report`, and the page that it writes around `page.html`
- `answer`: the answer in numbers: the rows in memory, their scores and differences
- `gates`: the verdicts of gates
- `sentences`: the statements of the answer, in words and tables
- `fields`: the names of its numbers, in the order of JSON
- `curve`: the drawing of a curve with its band, and the numbers of thresholds
"""
