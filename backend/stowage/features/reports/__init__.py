"""Reports: composed from plans, sweeps and runs, published once, exported as files, commented on, shared by links."""

PUBLIC = ()
"""Modules that other features may import."""
