"""Benchmark runs as states and transitions: what is asked, what it may cost, what is seen, what is to be done next."""
