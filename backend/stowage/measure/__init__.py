"""Measurements from the output of benchmark tools, and statistics over them.

The statistics are profiles, changes over time, and calibrations. This package does no I/O.
"""
