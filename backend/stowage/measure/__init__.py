"""What benchmark tools write -> measurements -> profiles, changes, calibration. Pure: it reads the streams it is given."""
