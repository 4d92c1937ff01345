"""Validation: published results compared with the model's predictions. Pure; depends on the model only."""
