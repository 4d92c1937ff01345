"""Common parts of routes: admission, problem details, limits of requests, event streams. No feature is imported."""
