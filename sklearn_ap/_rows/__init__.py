"""Readers: rows of files, tables and streams as checked batches of narrow columns.

To read the code, start here:

- `batches`: a batch of scores, labels, weights and ids; a `BatchReader` checks columns
- `local`: files, tables and streams, gathered in this process if they fit
- `text`: files with delimiters
- `decimals`: decimal commas in these files
- `missing_columns`: what to write if a column is missing
- `json`: files of JSON
- `arrow`: columns of lists and frames, and Parquet
- `errors`: errors of the libraries that read, in one line
"""
