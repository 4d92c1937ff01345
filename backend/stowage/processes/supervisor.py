"""Several children, started in order and stopped in reverse."""

from collections.abc import Callable
from contextlib import ExitStack

from stowage.processes.child import Child, Program, stop_together
from stowage.processes.errors import ChildFailed


class Supervisor(ExitStack):
    """Keeps children running until its block is left, in whichever way, and stops them in reverse order.

    A context that children need (a folder for a socket) is entered with `enter_context` before they are started:
    it is left after they were stopped.

    Parameters
    ----------
    say : callable
        Is told, in one line, what the user should know: a child that was started again, a state that was mended.
    gave_up : callable
        Is told that a child does not stay up. Called from that child's thread; should have the block left.
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
        """Start programs that do not need each other; they will be stopped together.

        Nothing is waited for: `Child.await_ready` does that.
        """
        children = [Child(program, self.say, self._gave_up) for program in programs]
        self.callback(stop_together, children)
        for child in children:
            child.start()
        return children
