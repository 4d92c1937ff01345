"""Explanations of a configuration: its bottlenecks, their cost, and why it did or did not rank first."""
