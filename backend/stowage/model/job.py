"""Kinds and states of background jobs, as rows, messages and answers name them."""

from typing import Literal

JobKind = Literal["sweep", "demo", "refresh", "upload", "alert", "account", "document"]
JobState = Literal["queued", "running", "done", "failed", "cancelled"]
