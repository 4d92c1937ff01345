"""What routes are made of: admission, problem details, limits of requests, events. FastAPI, and no feature."""
