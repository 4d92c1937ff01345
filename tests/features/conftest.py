"""Fixtures of the feature tests: services and routes, and a team for each test."""

from service import *  # noqa: F403 - fixtures
