"""Errors of child processes.

ProcessError
├── StateInUse       another process works on this state folder
├── StateUnusable    the state folder cannot be created or written to
├── ProgramMissing   a program that is needed is not installed
└── ChildFailed      a program did not start, does not stay up, or does not end
"""


class ProcessError(Exception):
    """Base of what this package raises of its own accord."""


class StateInUse(ProcessError):
    """Another process works on this state folder."""


class StateUnusable(ProcessError):
    """The state folder cannot be created or written to."""


class ProgramMissing(ProcessError):
    """A program that is needed is not installed; the message says what brings it."""


class ChildFailed(ProcessError):
    """A program did not start, does not stay up, or does not end; the message ends with what it said."""
