"""Kinds and states of background jobs, as named in tables, messages and the API."""

from typing import Literal

JobKind = Literal["sweep", "demo", "refresh", "upload", "alert", "account", "document"]
JobState = Literal["queued", "running", "done", "failed", "cancelled"]
