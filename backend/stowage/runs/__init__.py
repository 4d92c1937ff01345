"""Benchmark runs as a state machine: specification, quote, observation of the AWS account, and next actions."""
