"""Readers of the output of monitoring tools."""
