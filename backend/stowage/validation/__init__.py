"""Validation: published results compared with the model's predictions. Pure code that depends only on the model."""
