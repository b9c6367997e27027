"""The command `sklearn-ap`: it reads rows through `distributed`, computes their scores
and prints them.

The answer without options is that of `_report`.

- `run`: begin here: runs a command line, opens its files, and prints each error in one
  line
- `options`: the options, and which of them exclude each other
- `classes`: the classes that several columns of scores are about
- `checks`: what makes a build fail
- `output`: what is printed besides the first answer: tables as text, CSV or JSON, the
  example
"""
