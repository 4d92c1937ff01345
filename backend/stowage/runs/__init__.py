"""Benchmark runs on EC2, as a state machine.

A run has a specification and a quote. Each step derives the next actions from an observation of the account.
"""
