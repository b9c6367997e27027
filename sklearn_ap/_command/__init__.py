"""The command `sklearn-ap`: it reads rows through `distributed`, computes their scores
and prints them.

_run      begins: runs a command line, opens its files, and prints each error in one
line _options  the options, and which of them exclude each other _output   what is
printed besides the first answer: tables as text, CSV or JSON, runs of TREC, the example

`sklearn_ap._report` contains the answer without options.
"""
