"""The command `sklearn-ap`: it reads rows from files, and prints their scores.

`_rows` reads the files, and `_report` computes the answer.

- `run`: begin here: runs a command line, and prints each error in one line
- `options`: the options, and the combinations of them that are errors
- `rows`: the columns of files as arrays, with their labels, units and totals
- `labels`: the positive label, and the classes of several columns of scores
- `files`: files and streams, whose rows must fit into half of the available memory
- `output`: the text that is printed: the answer, tables as text or JSON, the example
- `words`: translates the words of Python into options
- `messages`: lines on standard error, in the words of the command
"""
