"""What was drawn, and what each unit contributes to a score.

`score_call` reads a call, and `sample.sample_of` leads it through all other files. Each
file imports only from those above it:

- `by_unit`: sums over units, and their standard error
- `score_call`: a call of a score, and its rows, which are read once
- `units`: the units of the rows of a call
- `ranking`: the rankings of a call: their rows with their units, and tied groups
- `sums`: an area as a sum over tied groups, and its derivatives
- `levels`: a score at recall levels as a sum
- `cuts`: a score that ends at a cut as a sum, and how a row moves the cut
- `score`: which sum is that of a score
- `alike`: rankings with fewer values, where rows count alike, which saves time
- `one_more`: one more event that a sample may lack, and how it changes the score
- `contributions`: what each unit contributes to a score
- `pairs`: what units contribute if each row belongs to two of them
- `sample`: all of these, from a call and its units
"""
