"""The areas that a number adds up, one file per area.

Each file declares one `Area`: its sum over steps, its words, its one spelling and, where it is drawn, its
path. A file stands on `_area` and `_path` and, where two areas share a sum, on the file of the plainer one.
"""
