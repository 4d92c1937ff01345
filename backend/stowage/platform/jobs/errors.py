"""What can go wrong between this process and the queue.

JobsError
├── BadUrl         what is written for the address of Redis is none
└── Unreachable    Redis does not answer
"""


class JobsError(Exception):
    """Base of what the queue raises of its own accord."""


class BadUrl(JobsError):
    """What is written for the address of Redis is none."""


class Unreachable(JobsError):
    """Redis does not answer."""
