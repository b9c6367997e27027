"""What `sklearn-ap` does: files are read, numbers are printed; without a file, a demonstration.

`__main__` reads the command line. `_rows` scans the files, `_summary` prints what they hold, and `_answer`
the numbers; `_words` holds words that both say, and `_demonstration` runs without a file.
"""
