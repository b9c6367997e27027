"""The first answer about scores, which the command prints, and a page that shows it.

- `page`: begin here: `report`, and the page that it writes around `page.html`
- `scored_rows`: the rows in memory, and the numbers of one ranking
- `differences`: differences between models, and from earlier rows
- `answer`: the complete answer in numbers, with that of each class or query
- `looks`: what a colleague would notice in the rows, and what to write
- `named_warnings`: warnings that name their model or class
- `gates`: the verdicts of gates
- `sentences`: the statements of the answer, in words and tables
- `fields`: the names of its numbers, in the order of JSON
- `curve`: the drawing of a curve with its band, and the numbers of thresholds
"""
