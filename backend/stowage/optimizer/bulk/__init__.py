"""Forecasts of many configurations at once, compiled from what the model records."""
