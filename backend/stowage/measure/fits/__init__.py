"""Finished jobs, and calibrations fitted to them."""
