"""Uncertainty: slow nodes in large clusters, and the range of a prediction."""
