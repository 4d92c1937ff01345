"""Supervisor of several children: started in order, stopped in reverse order."""

from collections.abc import Callable
from contextlib import ExitStack

from stowage.processes.child import Child, Program, stop_together
from stowage.processes.errors import ChildFailed


class Supervisor(ExitStack):
    """Context that keeps children running, and stops them in reverse order when its block is left.

    A context that children need, such as a folder for a socket, must be entered with `enter_context` before the
    children are started: it is then left after they were stopped.

    Parameters
    ----------
    say : callable
        Called with one-line messages for the user, for example that a child was restarted or a state was repaired.
    gave_up : callable
        Called with the error when a child does not stay up, from that child's thread; should cause the block to be
        left.
    """

    def __init__(
        self,
        say: Callable[[str], None] = lambda _line: None,
        gave_up: Callable[[ChildFailed], None] = lambda _failure: None,
    ) -> None:
        super().__init__()
        self.say = say
        self._gave_up = gave_up

    def start(self, *programs: Program) -> list[Child]:
        """Start independent programs, which will be stopped concurrently.

        Returns without waiting; see `Child.await_ready`.
        """
        children = [Child(program, self.say, self._gave_up) for program in programs]
        self.callback(stop_together, children)
        for child in children:
            child.start()
        return children
