"""The command `sklearn-ap`: it reads rows through `distributed`, computes their scores and prints them.

_run        the entry point: runs a command line, and prints each error in one line
_options    the options, and which of them exclude each other
_rows       the rows of files, in memory or, beyond the memory limit, read again for each score
_tables     tables of scores, as text, CSV or JSON
_trec       judgements and runs in TREC format
_example    the first look, at data of scikit-learn
_messages   warnings and errors on standard error

`sklearn_ap._answer` contains the answer without options.
"""
