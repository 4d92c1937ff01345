"""Numbers of requests in progress, in memory that all API processes share."""

import mmap


class InProgress:
    """Number of requests in progress of each API process.

    It is built before the processes are forked. Each process writes its own number only, so no lock is needed.

    Parameters
    ----------
    processes : int
        Number of API processes, at least 1.
    """

    def __init__(self, processes: int) -> None:
        self._counts = memoryview(mmap.mmap(-1, mmap.PAGESIZE)).cast("i")[:processes]
        self._own = 0

    def serve_as(self, number: int) -> None:
        """Begin to count the requests of a process by its number, from 1; it may replace one that failed."""
        self._own = number - 1
        self.note(0)

    def note(self, count: int) -> None:
        """Note the number of requests in progress of this process."""
        self._counts[self._own] = count

    def is_another_less_busy(self) -> bool:
        """Return whether another process has fewer requests in progress than this one."""
        own = self._counts[self._own]
        return any(count < own for count in self._counts)
