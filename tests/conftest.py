"""Property tests draw the same cases in every run; HYPOTHESIS_PROFILE=explore draws new ones."""

import os

from hypothesis import settings

settings.register_profile("repeatable", derandomize=True)
settings.register_profile("explore")
settings.load_profile(os.environ.get("HYPOTHESIS_PROFILE", "repeatable"))
