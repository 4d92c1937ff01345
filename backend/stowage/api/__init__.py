"""The FastAPI application: routes, error handling, the page."""
