"""Shutdown of workers: on request with work in progress, and by themselves when they receive no more messages."""

import subprocess
import sys
from pathlib import Path
from signal import SIGTERM

import pytest
import redis

from stowage.platform.jobs.embedded import embedded_redis
from stowage.platform.jobs.queue import celery_app

PATIENCE_S = 240.0

HANGING = """
import sys, time
import redis
from stowage_worker import run
from stowage_worker.tasks import Connections

known = run.register
def register(app, connections):
    known(app, connections)
    @app.task(name="hang")
    def hang():
        redis.Redis.from_url(sys.argv[1]).rpush("hangs", 1)
        time.sleep(600)

run.register, run.ENDS_WITHIN_S = register, 1.0
run.run_worker(Connections("postgresql://unknown/nothing", sys.argv[1]), ["quick"], 1)
"""
"""A worker with a task that never ends."""


def test_a_worker_with_a_part_that_hangs_ends_when_it_is_asked_to(tmp_path: Path) -> None:
    with (
        # A Redis of its own: others may hold messages that this worker cannot process.
        embedded_redis(tmp_path) as redis_url,
        redis.Redis.from_url(redis_url, socket_timeout=2 * PATIENCE_S) as client,
        subprocess.Popen([sys.executable, "-c", HANGING, redis_url], stderr=subprocess.PIPE) as worker,
    ):
        try:
            celery_app(redis_url).send_task("hang", queue="quick")
            assert client.blpop(["hangs"], timeout=PATIENCE_S) is not None
            worker.send_signal(SIGTERM)
            _, told = worker.communicate(timeout=PATIENCE_S)
        finally:
            worker.kill()
    assert worker.returncode == 0
    assert b"did not stop within 1 s" in told


DEAF = """
import sys
from celery import signals
from stowage_worker import run
from stowage_worker.tasks import Connections

@signals.worker_ready.connect(weak=False)
def deaf(sender, **_):
    sender.task_consumer.cancel()

run.DEAF_AFTER_S = 1.0
sys.exit(run.run_worker(Connections("postgresql://unknown/nothing", sys.argv[1]), ["quick"], 1))
"""
"""A worker whose consumer receives no messages, as after some broken connections."""


@pytest.mark.soak("kills")
def test_a_worker_that_receives_no_messages_exits_to_be_restarted(tmp_path: Path) -> None:
    with (
        embedded_redis(tmp_path) as redis_url,
        subprocess.Popen([sys.executable, "-c", DEAF, redis_url], stderr=subprocess.PIPE) as worker,
    ):
        try:
            celery_app(redis_url).send_task("nothing", queue="quick")
            _, told = worker.communicate(timeout=PATIENCE_S)
        finally:
            worker.kill()
    assert worker.returncode == 1
    assert b"messages wait but this worker receives none" in told
