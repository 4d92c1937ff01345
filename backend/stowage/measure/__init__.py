"""Output of benchmark tools -> measurements -> profiles, changes, calibration. Pure: no I/O but its input."""
