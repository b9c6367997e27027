"""The areas that scores add up, one file per area.

Each file declares one `Area`: its sum over steps, its name, its description and, if it is drawn, its path.
A file imports `_area`. If two areas share a sum, it also imports the file of the simpler one.
"""
