"""The worker process, and the scheduler, which is a separate process or a thread of the worker."""

import gc
import logging
import os
import warnings
from collections.abc import Sequence
from threading import Thread, Timer
from time import sleep

import psutil
from celery import Celery, beat, signals
from celery.apps.beat import Beat
from celery.exceptions import SecurityWarning
from celery.worker import state

from stowage.platform.jobs.queue import Queue, QueueName, celery_app
from stowage.processes.parent import end_with
from stowage_worker.tasks import Connections, note_credentials, register

log = logging.getLogger(__name__)

ENDS_WITHIN_S = 20.0
"""Time after a stop signal at which the worker exits in any case [s]. Its parts are then requeued: a forced exit loses
nothing. Service managers usually wait 30 s."""


DEAF_AFTER_S = 30.0
"""Time after which an idle worker with waiting messages exits, to be restarted by its supervisor [s]: after a broken
connection to Redis, Celery's consumer may never receive messages again (celery#10302)."""


_LOOKS = 5

MOST_GROWTH_MB = 400
"""Memory growth after which a pool process is replaced at the end of its task [MB]: Python and the C library seldom
return memory."""


def run_worker(
    connections: Connections,
    queues: Sequence[QueueName],
    processes: int,
    *,
    schedules: bool = False,
    growth_mb: int = MOST_GROWTH_MB,
) -> int:
    """Run a worker until SIGTERM or SIGINT; work in progress then has `ENDS_WITHIN_S` seconds to finish.

    Parameters
    ----------
    connections : Connections
        Connections of the worker, not open yet.
    queues : sequence of QueueName
    processes : int
        Number of pool processes, each working on one part of a job at a time; 0 to work in this process without pool.
    schedules : bool
        Whether this worker also runs the scheduler.
    growth_mb : int
        Maximum growth of a process' memory, as for `MOST_GROWTH_MB` [MB].

    Returns
    -------
    int
        Exit status.

    Raises
    ------
    stowage.platform.jobs.errors.BadUrl
        Not the address of a Redis.
    """
    app = celery_app(connections.redis_url)
    register(app, connections)
    _listen(connections, queues)
    _end_when_deaf(connections.redis_url, queues)
    if schedules:
        _schedule_beside(app, connections.redis_url)
    if "refresh" in queues:
        # Before the pool is forked: its processes share what this imports.
        with Queue(connections.redis_url) as queue:
            note_credentials(queue)
    # Celery warns about running as root because of pickled messages; ours are JSON.
    warnings.simplefilter("ignore", SecurityWarning)
    worker = app.Worker(
        queues=",".join(queues),
        concurrency=processes or 1,
        pool="prefork" if processes else "solo",
        hostname=f"{'-'.join(queues)}@{os.uname().nodename}",
        without_gossip=True,
        without_mingle=True,
        max_memory_per_child=psutil.Process().memory_info().rss // 1024 + growth_mb * 1024,
        loglevel=logging.getLogger().getEffectiveLevel(),
        quiet=True,
    )
    # Garbage collection would write to the memory pages that the pool's processes share, and so copy them.
    gc.freeze()
    worker.start()
    connections.close()
    return int(worker.exitcode or 0)


def run_scheduler(redis_url: str) -> int:
    """Run the scheduler until SIGTERM or SIGINT. One process is enough; two do no harm.

    Raises
    ------
    stowage.platform.jobs.errors.BadUrl
        Not the address of a Redis.
    """
    app = celery_app(redis_url)
    _keep_logging_as_it_is()
    with Queue(redis_url) as queue:
        # The type stubs allow only the name of a scheduler class.
        Beat(app=app, scheduler_cls=_scheduler(queue), quiet=True, redirect_stdouts=False).run()  # type: ignore[arg-type]
    return 0


def _scheduler(queue: Queue) -> type[beat.Scheduler]:
    class Scheduler(beat.Scheduler):
        """Scheduler without a state file, since all tasks are due again within seconds. Sends heartbeats."""

        max_interval = 1

        def tick(self) -> float:  # type: ignore[override]
            """Send due tasks; return the time until the next one [s]."""
            queue.saw("scheduler")
            due_s: float = super().tick()
            return due_s

    return Scheduler


def _schedule_beside(app: Celery, redis_url: str) -> None:
    """Run the scheduler in a thread of this worker, from the worker's start until the worker is asked to stop."""
    service: list[beat.Service] = []

    def schedule() -> None:
        try:
            with Queue(redis_url) as queue:
                service.append(beat.Service(app, scheduler_cls=_scheduler(queue)))
                service[0].start()
        except Exception:
            # `stowage up` starts the worker again, and with it the scheduler.
            log.exception("the scheduler ended")
            os._exit(1)

    @signals.worker_ready.connect(weak=False)
    def ready(**_: object) -> None:
        Thread(target=schedule, name="scheduler", daemon=True).start()

    @signals.worker_shutting_down.connect(weak=False)
    def asked_to_end(**_: object) -> None:
        for each in service:
            each.stop()


def _listen(connections: Connections, queues: Sequence[QueueName]) -> None:
    _keep_logging_as_it_is()

    @signals.heartbeat_sent.connect(weak=False)
    def saw(**_: object) -> None:
        for queue in queues:
            connections.queue.saw(queue)

    @signals.worker_shutting_down.connect(weak=False)
    def asked_to_end(**_: object) -> None:
        timer = Timer(ENDS_WITHIN_S, _end_at_once)
        timer.daemon = True
        timer.start()

    worker = os.getpid()

    @signals.worker_process_init.connect(weak=False)
    def forked(**_: object) -> None:
        # Celery sends this signal without a pool too, in this process.
        if os.getpid() != worker:
            end_with(worker)


def _end_when_deaf(redis_url: str, queues: Sequence[QueueName]) -> None:
    """Start a thread that ends this worker when it no longer receives messages."""

    def look() -> None:
        waiting = 0
        with Queue(redis_url) as queue:
            while True:
                taken = sum(state.total_count.values())
                sleep(DEAF_AFTER_S / _LOOKS)
                # Tasks in progress keep the worker from receiving more.
                holds = len(state.active_requests) + len(state.reserved_requests)
                idle = holds == 0 and taken == sum(state.total_count.values()) and state.should_stop is None
                waiting = waiting + 1 if idle and queue.waits(queues) else 0
                if waiting == _LOOKS:
                    log.error("messages wait but this worker receives none: exiting to be restarted")
                    os._exit(1)

    @signals.worker_ready.connect(weak=False)
    def ready(**_: object) -> None:
        Thread(target=look, name="deaf", daemon=True).start()


def _end_at_once() -> None:
    log.warning("did not stop within %g s: other workers will continue its parts", ENDS_WITHIN_S)
    os._exit(0)


def _keep_logging_as_it_is() -> None:
    @signals.setup_logging.connect(weak=False)
    def configured(**_: object) -> None:
        """Handle Celery's logging signal by doing nothing, so that Celery does not configure logging."""
