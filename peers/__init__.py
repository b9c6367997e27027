"""Real packages run on one matrix of inputs: `python -m peers` stores what they print in `peers/golden`."""
