"""Supervisor of several children: started in order, stopped in reverse order."""

from collections.abc import Callable
from contextlib import ExitStack

from stowage.processes.child import Child, Program, stop_together
from stowage.processes.errors import ChildFailed


class Supervisor(ExitStack):
    """Context that keeps children running, and stops them in reverse order when its block is left.

    Children may need other contexts, such as a folder for a socket. Such a context must be entered with `enter_context`
    before the children are started. Then it is left after the children were stopped.

    Parameters
    ----------
    say : callable
        Called with one-line messages for the user, for example that a child was restarted or its files were repaired.
    gave_up : callable
        Called with the error when a child does not stay up, in the thread of this child. It should make the main thread
        leave the block.
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
        """Start programs that do not depend on each other, and return a child for each of them.

        The method does not wait until they are ready (`Child.await_ready` does). They will be stopped all at the same
        time.
        """
        children = [Child(program, self.say, self._gave_up) for program in programs]
        self.callback(stop_together, children)
        for child in children:
            child.start()
        return children
