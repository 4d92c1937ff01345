"""Uncertainty of a prediction: its range, and the effect of slow nodes in large clusters."""
