"""How Hypothesis treats the tests of the model."""

from hypothesis import settings

# A timed test is no test: tables of stragglers are made on first use, which on a busy machine takes a second.
settings.register_profile("untimed", deadline=None)
settings.load_profile("untimed")
