"""Errors of child processes.

ProcessError
├── StateInUse       another process uses this state folder
├── StateUnusable    the state folder cannot be created or written to
├── ProgramMissing   a required program is not installed
└── ChildFailed      a program did not start, does not stay up, or does not end
"""


class ProcessError(Exception):
    """Base class of the errors of this package."""


class StateInUse(ProcessError):
    """Another process uses this state folder."""


class StateUnusable(ProcessError):
    """The state folder cannot be created or written to."""


class ProgramMissing(ProcessError):
    """A required program is not installed; the message names the package that provides it."""


class ChildFailed(ProcessError):
    """A program did not start, does not stay up, or does not end; the message ends with its last output."""
