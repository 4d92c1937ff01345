"""Physical model, which predicts time and cost of a job on a cluster.

It consists of pure functions and frozen dataclasses, and imports only the standard library and numpy.
"""

MODEL_VERSION = "6"
"""Version of the model; every change of a prediction raises it. A stored plan names the version that computed it."""
