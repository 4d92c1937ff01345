"""Users of the load, run by locust in an environment of its own: it imports nothing of the product.

A user waits 1 to 5 s between two clicks. A request that had no response, or a 5xx, is sent again under the same
idempotency key, and one that is asked to wait waits as long as it was asked to; each attempt is a row of its own.
Locust runs each user in a greenlet: `time.sleep` lets the others go on.
"""

import json
import os
import random
import time
import uuid
from itertools import count
from pathlib import Path
from typing import Any, ClassVar

from locust import FastHttpUser, between, task

CAST: dict[str, Any] = json.loads(Path(os.environ["STOWAGE_LOAD_CAST"]).read_text())
OUT = Path(os.environ["STOWAGE_LOAD_OUT"])
PATIENCE_S = float(os.environ.get("STOWAGE_LOAD_PATIENCE", "10"))
"""How long a user repeats a request that fails [s]."""

REQUESTS = (OUT / "requests.jsonl").open("a", buffering=1)
WRITES = (OUT / "writes.jsonl").open("a", buffering=1)

SHORT_WAIT_S, LONGEST_WAIT_S = 1.0, 10.0


def of_role(role: str) -> list[dict[str, Any]]:
    """Return the people of a role."""
    return [each for each in CAST["people"] if each["role"] == role]


class Visitor(FastHttpUser):
    """A user of the service."""

    abstract = True
    wait_time = between(1.0, 5.0)
    network_timeout = connection_timeout = 70.0
    role: ClassVar[str]
    _numbers: ClassVar[Any]

    def on_start(self) -> None:
        """Become the next person of the role."""
        self.me = of_role(self.role)[next(self._numbers)]
        self.dice = random.Random(f"{CAST['seed']}.{self.me['number']}")  # noqa: S311 - clicks, no secret
        self.made = count(1)
        self.plans: list[str] = list(self.me["plans"])
        # A user begins in the middle of a pause: they do not all click at once.
        time.sleep(self.dice.uniform(0.0, 5.0))

    def name(self, what: str) -> str:
        """Return a name that nothing else has: what is there twice was stored twice."""
        return f"load {what} {CAST['run']} {self.me['number']}.{next(self.made)}"

    def workload(self, name: str = "") -> dict[str, Any]:
        """Return a question as sliders make it."""
        job, durability = self.dice.choice(
            [
                ("sort", {"model": "none"}),
                ("sort", {"model": "application", "replicas": 2}),
                ("sort", {"model": "infrastructure"}),
                ("hdfs-write", {"model": "application", "replicas": 3}),
                ("random-io", {"model": "infrastructure"}),
            ]
        )
        return {
            "workload": {"job": job, "data": f"{10 ** self.dice.uniform(0.0, 2.0):.3f} TB", "durability": durability}
            | ({"name": name} if name else {}),
            "limits": {"deadline": f"{10 ** self.dice.uniform(0.3, 1.7):.3f} h", "max_nodes": 200},
        }

    def ask(self, kind: str, method: str, path: str, *, once: bool = False, **body: Any) -> Any:  # noqa: ANN401 - JSON
        """Send a request, again where it may be repeated; return the JSON document, or None where it failed for good.

        Parameters
        ----------
        kind : str
            As the tables call it.
        method, path : str
        once : bool
            Whether it carries an idempotency key.
        body
            As of locust: `json` or `data`.
        """
        headers = dict(self.me["headers"])
        if once:
            # Not drawn by the seed: another load on the same database would repeat the requests of this one.
            headers["Idempotency-Key"] = str(uuid.uuid4())
        if "data" in body:
            headers["Content-Type"] = "application/octet-stream"
        give_up_at = time.monotonic() + PATIENCE_S
        while True:
            at_s, began = time.time(), time.perf_counter()
            with self.client.request(method, path, name=kind, headers=headers, catch_response=True, **body) as response:
                waited_s = time.perf_counter() - began
                status = response.status_code or 0
                retry_after = (response.headers or {}).get("Retry-After")
                content = response.content or b""
                try:
                    document = json.loads(content) if content else {}
                except ValueError:
                    document = {}
                quota = document.get("quota") if status in (403, 429) and isinstance(document, dict) else None
                row = {"kind": kind, "at_s": at_s, "waited_s": waited_s, "status": status}
                row |= {"retry_after": retry_after is not None, "quota": quota["name"] if quota else ""}
                REQUESTS.write(json.dumps(row) + "\n")
                if 200 <= status < 400:
                    response.success()
                    return document
                response.failure(str(status))
            repeatable = method in ("GET", "PUT") or once or path.endswith(("/read", "/keep", "/preview/columns"))
            transient = status in (0, 429, 500, 502, 503, 504)
            if not (repeatable and transient) or time.monotonic() > give_up_at:
                return None
            time.sleep(min(float(retry_after or SHORT_WAIT_S), LONGEST_WAIT_S))

    def sent(self, want: dict[str, Any], path: str = "") -> str:
        """Note a write before it is sent."""
        write_id = self.name("write")
        row = {"event": "sent", "id": write_id, "user": self.me["number"], "path": path, "want": want}
        WRITES.write(json.dumps(row) + "\n")
        return write_id

    def acknowledged(self, write_id: str, path: str = "") -> None:
        """Note that a write was acknowledged, and where it is read."""
        WRITES.write(json.dumps({"event": "acknowledged", "id": write_id, "path": path}) + "\n")

    def preview(self) -> None:
        """Ask for the answer of a new question, as the page does."""
        self.ask("preview", "POST", "/api/v1/plans/preview/columns", json=self.workload())

    def open_plan(self) -> None:
        """Open a plan of the team."""
        if self.plans:
            self.ask("read plan", "GET", f"/api/v1/plans/{self.dice.choice(self.plans)}/columns")

    def save_plan(self) -> None:
        """Save a plan under a name of its own."""
        name = self.name("plan")
        write_id = self.sent({"name": name, "answer.workload.workload.name": name})
        saved = self.ask("save plan", "POST", "/api/v1/plans", once=True, json=self.workload(name))
        if saved is not None:
            self.acknowledged(write_id, f"/api/v1/plans/{saved['id']}")
            self.plans.append(saved["id"])

    def start_sweep(self) -> None:
        """Start a sweep of six cells and look at it until it has ended; at most a minute."""
        name = self.name("sweep")
        question = self.workload()
        write_id = self.sent({"name": name, "job.total": 6, "job.done": 6, "job.state": "done"})
        sweep = {
            "name": name,
            "base": question,
            "columns": {"quantity": "data", "values": ["1 TB", "3 TB", "10 TB"]},
            "rows": {"quantity": "deadline", "values": ["4 h", "24 h"]},
        }
        started = self.ask("start sweep", "POST", "/api/v1/sweeps", once=True, json=sweep)
        if started is None:
            return
        self.acknowledged(write_id, f"/api/v1/sweeps/{started['id']}")
        for _ in range(30):
            time.sleep(2.0)
            job = self.ask("read job", "GET", f"/api/v1/jobs/{started['job']['id']}")
            if job is None or job["state"] == "done":
                return


class Planner(Visitor):
    """Drags sliders, and saves what was found."""

    role = "planner"
    fixed_count = len(of_role(role))
    _numbers = count()

    @task(10)
    def drag(self) -> None:
        """Drag a slider: the page asks for one preview after the other while it moves."""
        for _ in range(self.dice.randint(1, 4)):
            self.preview()
            time.sleep(0.2)

    @task(3)
    def look(self) -> None:
        """Look at the list of plans, and open one."""
        self.ask("list plans", "GET", "/api/v1/plans?limit=50")
        self.open_plan()

    @task(3)
    def save(self) -> None:
        """Save a plan."""
        self.save_plan()

    @task(1)
    def note(self) -> None:
        """Write a note to a plan of one's own."""
        if self.plans:
            path = f"/api/v1/plans/{self.plans[-1]}"
            text = self.name("note")
            write_id = self.sent({"decided.notes": text}, path)
            if self.ask("write note", "PUT", f"{path}/decided", json={"notes": text}) is not None:
                self.acknowledged(write_id)


class Engineer(Visitor):
    """Uploads what benchmarks printed, and keeps it."""

    role = "engineer"
    fixed_count = len(of_role(role))
    _numbers = count()

    @task(2)
    def upload(self) -> None:
        """Upload a file of fio, wait until it was read, keep it."""
        document = json.loads(CAST["fio"])
        name = self.name("run")
        document["jobs"][0]["jobname"] = name
        document["timestamp"] = random.SystemRandom().randrange(1_700_000_000, 1_790_000_000)
        document["timestamp_ms"] = document["timestamp"] * 1000
        content = json.dumps(document, indent=2).encode()
        begun = self.ask(
            "begin upload", "POST", "/api/v1/uploads", once=True, json={"name": "fio.json", "size_bytes": len(content)}
        )
        if begun is None:
            return
        path = f"/api/v1/uploads/{begun['id']}"
        if self.ask("send piece", "PUT", f"{path}/pieces/0", data=content) is None:
            return
        if self.ask("read upload", "POST", f"{path}/read", json=None) is None:
            return
        for _ in range(60):
            time.sleep(1.0)
            upload = self.ask("look at upload", "GET", path)
            if upload is None or upload["state"] == "refused":
                return
            if upload["state"] == "read":
                break
        else:
            return
        write_id = self.sent({"name": name})
        readings = [{"position": each["position"], "target": CAST["target"]} for each in upload["readings"]]
        kept = self.ask("keep upload", "POST", f"{path}/keep", json={"readings": readings})
        if kept is not None and kept["measurements"]:
            self.acknowledged(write_id, f"/api/v1/measurements/{kept['measurements'][0]}")

    @task(3)
    def look(self) -> None:
        """Look at the list of measurements."""
        self.ask("list measurements", "GET", "/api/v1/measurements?limit=50")


class Manager(Visitor):
    """Reads reports and shared links; now and then publishes a report."""

    role = "manager"
    fixed_count = len(of_role(role))
    _numbers = count()

    @task(6)
    def read(self) -> None:
        """Look at the list of reports, and open one."""
        self.ask("list reports", "GET", "/api/v1/reports?limit=50")
        if self.me["reports"]:
            self.ask("read report", "GET", f"/api/v1/reports/{self.dice.choice(self.me['reports'])}")

    @task(4)
    def follow_link(self) -> None:
        """Open a shared link as a guest."""
        if self.me["links"]:
            self.ask("read shared link", "GET", f"/api/v1/shared/{self.dice.choice(self.me['links'])}")

    @task(1)
    def publish(self) -> None:
        """Publish a report of a plan."""
        if self.plans:
            title = self.name("report")
            write_id = self.sent({"report.title": title})
            origin = {"kind": "plan", "plan_id": self.dice.choice(self.plans)}
            asked = {"title": title, "origin": origin}
            published = self.ask("publish report", "POST", "/api/v1/reports", once=True, json=asked)
            if published is not None:
                self.acknowledged(write_id, f"/api/v1/reports/{published['id']}")


class Program(Visitor):
    """A program with a token."""

    role = "program"
    fixed_count = len(of_role(role))
    _numbers = count()

    @task(3)
    def save(self) -> None:
        """Save a plan."""
        self.save_plan()

    @task(4)
    def look(self) -> None:
        """Read the list of plans."""
        self.ask("list plans", "GET", "/api/v1/plans?limit=50")

    @task(1)
    def sweep(self) -> None:
        """Start a sweep."""
        self.start_sweep()


class Member(Visitor):
    """Does one thing a click: of a hundred, 70 reads, 25 previews of a changed workload, 5 saves."""

    role = "member"
    fixed_count = len(of_role(role))
    _numbers = count()

    @task(25)
    def change(self) -> None:
        """Change the workload."""
        self.preview()

    @task(5)
    def save(self) -> None:
        """Save a plan."""
        self.save_plan()

    @task(30)
    def look(self) -> None:
        """Look at the list of plans."""
        self.ask("list plans", "GET", "/api/v1/plans?limit=50")

    @task(20)
    def open(self) -> None:
        """Open a plan."""
        self.open_plan()

    @task(20)
    def look_at_reports(self) -> None:
        """Look at the list of reports."""
        self.ask("list reports", "GET", "/api/v1/reports?limit=50")
