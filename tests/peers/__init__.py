"""Real packages run on one matrix of inputs: `python -m tests.peers` stores what they
print in `golden`.
"""
