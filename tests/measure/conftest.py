"""How Hypothesis treats the tests of measurements."""

from hypothesis import settings

# A timed test is no test: what is read and made once takes a second on a busy machine.
settings.register_profile("untimed", deadline=None)
settings.load_profile("untimed")
