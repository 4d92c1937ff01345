"""Composers: the sections of a report from what is stored."""
