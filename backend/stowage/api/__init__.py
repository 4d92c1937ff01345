"""FastAPI: routes, errors, the page."""
