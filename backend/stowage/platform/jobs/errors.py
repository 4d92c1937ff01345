"""Errors of the connection to the queue in Redis.

JobsError
├── BadUrl         the URL of Redis is malformed
└── Unreachable    Redis does not answer
"""


class JobsError(Exception):
    """Base class of the queue's own errors."""


class BadUrl(JobsError):
    """The URL of Redis is malformed."""


class Unreachable(JobsError):
    """Redis does not answer."""
