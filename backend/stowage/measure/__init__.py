"""Output of benchmark tools -> measurements -> profiles, changes, calibration. Pure: it reads what it is given."""
