"""Child processes: start, supervision and stop. Uses only the standard library and psutil."""
