"""The physics: pure functions and frozen dataclasses on the standard library and numpy."""

MODEL_VERSION = "6"
"""Goes up with every change that moves a prediction: a stored plan names the version that made it."""
