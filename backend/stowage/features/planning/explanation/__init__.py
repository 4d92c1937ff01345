"""Explanations: the bottlenecks of a configuration, what they cost, and why it did or did not win."""
