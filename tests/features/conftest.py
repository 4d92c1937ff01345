"""Features by their services and their routes, each test for a team of its own."""

from service import *  # noqa: F403 - fixtures
