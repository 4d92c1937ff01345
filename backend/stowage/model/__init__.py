"""Physical model: pure functions and frozen dataclasses, on the standard library and numpy only."""

MODEL_VERSION = "6"
"""Version of the model; every change of a prediction raises it. A stored plan names the version that computed it."""
