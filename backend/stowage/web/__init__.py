"""Common parts of routes: admission, problem details, limits of requests, event streams.

This package imports no feature.
"""
