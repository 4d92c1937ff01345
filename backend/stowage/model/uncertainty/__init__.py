"""Uncertainty: what slows a phase on many nodes, and how wide a prediction is."""
