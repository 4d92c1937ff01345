"""Measurements from the output of benchmark tools; profiles, changes and calibrations from measurements. No I/O."""
