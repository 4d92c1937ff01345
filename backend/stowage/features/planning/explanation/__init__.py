"""Explanations: bottlenecks of a configuration, the cost of each, and why the configuration did or did not win."""
