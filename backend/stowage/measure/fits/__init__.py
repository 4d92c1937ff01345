"""Finished jobs, and the calibrations fitted to them."""
