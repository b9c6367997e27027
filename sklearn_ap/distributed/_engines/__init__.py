"""What makes a `Source` of what the caller passed: `_arrow`, `_dask` and `_spark`, each with its library.

`_arrow` reads files (`_paths`, `_files`), tables and streams (`_batches`) in two threads (`_in_order`), and
`_convert` makes arrays of numpy of its columns, for Spark too. None of them is imported before it is needed.
"""
