"""Benchmark runs as a state machine: specification, quote, observations of the account, and next actions."""
