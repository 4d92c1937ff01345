"""Readers of benchmark tools, one for each tool."""
