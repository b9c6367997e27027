"""The command `sklearn-ap`: it reads rows by `_rows`, computes their scores
and prints them.

The answer without options is that of `_report`.

- `run`: begin here: runs a command line, and prints each error in one line
- `options`: the options, and which of them exclude each other
- `rows`: the columns of files as arrays, with their labels, units and totals
- `labels`: the positive label, and the classes that several columns of scores are about
- `files`: files and streams, which are read while they take at most half of the
  available memory
- `output`: what is printed: the answer, tables as text or JSON, the example
- `words`: translates the words of Python into options
- `messages`: lines on standard error, in the words of the command
"""
