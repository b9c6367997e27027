"""Mutation testing: `python -m tests.mutation` plants one small fault at a time and
runs the tests on it.
"""
