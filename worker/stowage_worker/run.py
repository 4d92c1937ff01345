"""The worker and the scheduler as processes."""

import logging
import os
from collections.abc import Sequence
from threading import Timer

from celery import beat, signals
from celery.apps.beat import Beat

from stowage.jobs.queue import Queue, QueueName, celery_app
from stowage.processes.parent import end_with_parent
from stowage_worker.tasks import Connections, note_credentials, register

log = logging.getLogger(__name__)

ENDS_WITHIN_S = 20.0
"""A worker that was asked to end and has not by then ends at once. What it held is taken up again: it is as safe to
kill as it is to wait for, and those who stop services wait 30 s."""


def run_worker(connections: Connections, queues: Sequence[QueueName], processes: int) -> int:
    """Work on what the queues carry until SIGTERM or SIGINT; what is begun then is finished, if it ends soon.

    Parameters
    ----------
    connections : Connections
        Not open yet.
    queues : sequence of QueueName
    processes : int
        How many parts are worked on at once.

    Returns
    -------
    int
        Exit status.

    Raises
    ------
    stowage.jobs.errors.BadUrl
        Not the address of a Redis.
    """
    app = celery_app(connections.redis_url)
    register(app, connections)
    _listen(connections, queues)
    worker = app.Worker(
        queues=",".join(queues),
        concurrency=processes,
        pool="prefork",
        hostname=f"{'-'.join(queues)}@{os.uname().nodename}",
        without_gossip=True,
        without_mingle=True,
        loglevel=logging.getLogger().getEffectiveLevel(),
        quiet=True,
    )
    worker.start()
    connections.close()
    return int(worker.exitcode or 0)


def run_scheduler(redis_url: str) -> int:
    """Send what is due at its time until SIGTERM or SIGINT; one such process is enough, two do no harm.

    Raises
    ------
    stowage.jobs.errors.BadUrl
        Not the address of a Redis.
    """
    app = celery_app(redis_url)
    _keep_logging_as_it_is()
    with Queue(redis_url) as queue:

        class Scheduler(beat.Scheduler):
            """Keeps nothing in a file: all it sends is due again within seconds. Says that it lives."""

            max_interval = 1

            def tick(self) -> float:  # type: ignore[override]
                """Send what is due, and give the seconds until the next."""
                queue.saw("scheduler")
                due_s: float = super().tick()
                return due_s

        # The stubs know only of a scheduler by name.
        Beat(app=app, scheduler_cls=Scheduler, quiet=True, redirect_stdouts=False).run()  # type: ignore[arg-type]
    return 0


def _listen(connections: Connections, queues: Sequence[QueueName]) -> None:
    _keep_logging_as_it_is()

    @signals.heartbeat_sent.connect(weak=False)
    def saw(**_: object) -> None:
        for queue in queues:
            connections.queue.saw(queue)

    @signals.worker_ready.connect(weak=False)
    def ready(**_: object) -> None:
        if "refresh" in queues:
            note_credentials(connections.queue)

    @signals.worker_shutting_down.connect(weak=False)
    def asked_to_end(**_: object) -> None:
        timer = Timer(ENDS_WITHIN_S, _end_at_once)
        timer.daemon = True
        timer.start()

    @signals.worker_process_init.connect(weak=False)
    def forked(**_: object) -> None:
        end_with_parent()


def _end_at_once() -> None:
    log.warning("did not come to an end within %g s of being asked to: what it held is taken up again", ENDS_WITHIN_S)
    os._exit(0)


def _keep_logging_as_it_is() -> None:
    @signals.setup_logging.connect(weak=False)
    def configured(**_: object) -> None:
        """Take part in the signal: then Celery leaves logging alone."""
