"""Chance that a configuration loses data, from failure rates, copies and repair times."""
