"""Fixtures of the API tests: a real database, and a team for each test."""

import os

from service import *  # noqa: F403 - fixtures

# Importing schemathesis takes seconds, and all of these tests belong to a slice of the soak.
collect_ignore = [] if os.environ.get("STOWAGE_SOAK") else ["test_openapi_fuzz.py"]
