"""Validation: published results compared with the model's predictions. Pure functions that depend on the model only."""
