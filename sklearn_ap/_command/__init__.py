"""What `sklearn-ap` does: files are read, numbers are printed; without a file, a demonstration.

`_run` begins. `_options` reads the command line and `_rows` scans the files. `_answer` prints the numbers:
`_first` says the first answer in sentences, `_summary` the lines above a table, `_tables` the scores of
queries. `_trec` reads and scores the files of TREC. `_words` holds words that all say, and `_demonstration`
runs without a file.
"""
