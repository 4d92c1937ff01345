"""A worker that is asked to end ends, whatever it holds."""

import subprocess
import sys
import time
from signal import SIGTERM

import redis

from stowage.jobs.queue import celery_app

HANGING = """
import sys, time
from stowage_worker import run
from stowage_worker.tasks import Connections

known = run.register
def register(app, connections):
    known(app, connections)
    @app.task(name="hang")
    def hang():
        time.sleep(600)

run.register, run.ENDS_WITHIN_S = register, 1.0
run.run_worker(Connections("postgresql://nobody/nothing", sys.argv[1]), ["quick"], 1)
"""
"""A worker with a task that never ends."""


def test_a_worker_with_a_part_that_hangs_ends_when_it_is_asked_to(redis_url: str) -> None:
    command = [sys.executable, "-c", HANGING, redis_url]
    celery_app(redis_url).send_task("hang", queue="quick")
    with (
        redis.Redis.from_url(redis_url) as client,
        subprocess.Popen(command, stderr=subprocess.PIPE) as worker,
    ):
        try:
            deadline = time.monotonic() + 240.0
            while client.llen("quick") and time.monotonic() < deadline:
                time.sleep(0.1)
            worker.send_signal(SIGTERM)
            _, told = worker.communicate(timeout=240)
        finally:
            worker.kill()
    assert worker.returncode == 0
    assert b"did not come to an end within 1 s" in told
