"""What was drawn, and what each unit contributes to a score.

A call of a score enters these files in this order, down to `sample`:

- `score_call`: a call of a score, with its rows, which are read once
- `sums`: a score as a sum over tied groups, and its derivatives
- `contributions`: the contribution of each unit to a score, and what one more event
  changes
- `sample`: the rankings and the units of the rows of a call, and all of the above
"""
