"""Composers: build the sections of a report from stored data."""
