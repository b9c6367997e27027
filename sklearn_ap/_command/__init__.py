"""The command `sklearn-ap`: it reads rows through `distributed`, computes their scores
and prints them.

The answer without options is that of `_report`.

- `run`: begin here: runs a command line, and prints each error in one line
- `files`: files that are read while they take at most half of the available memory
- `options`: the options, and which of them exclude each other
- `classes`: the classes that several columns of scores are about
- `checks`: what makes a build fail
- `output`: what is printed besides the first answer: tables as text or JSON, the
  example
"""
