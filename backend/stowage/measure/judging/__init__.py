"""Judgement of results: good, doubtful or rejected."""
