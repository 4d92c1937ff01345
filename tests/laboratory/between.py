"""Endpoint between Stowage and the simulated AWS: injects faults of AWS, and adds features that the simulation lacks.

Every request passes through it: Stowage's, and those of the nodes, whose URLs Stowage has signed. It records each
request. Faults are injected by names of actions as in policies (``ec2:RunInstances``), with wildcards.
"""

import json
import re
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from datetime import UTC, datetime
from fnmatch import fnmatchcase
from http.client import HTTPConnection, HTTPException
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from threading import Event, Lock, Thread
from typing import ClassVar, Literal
from urllib.parse import parse_qsl, unquote, urlsplit

from laboratory.presigned import Keys, Refused

FaultKind = Literal["throttle", "deny", "capacity", "broken", "cut", "lose", "hold"]
"""throttle, deny, capacity, broken: AWS' own errors; cut: the action is not done, and the connection ends; lose: the
action is done, but its answer is lost; hold: the request waits until the test continues."""


@dataclass(frozen=True, slots=True)
class Call:
    """A request to AWS."""

    action: str
    """`ec2:RunInstances`."""
    parameters: Mapping[str, str]
    """Of the query protocol, or the fields of a JSON request; of S3 `Bucket` and `Key`."""
    region: str
    key_id: str
    """Id of the key that signed it."""
    presigned: bool
    """Whether the URL itself is signed, as in requests of nodes."""
    body: bytes

    @property
    def service(self) -> str:
        return self.action.partition(":")[0]

    def listed(self, name: str) -> list[str]:
        """Return the numbered parameters of the query protocol: ``InstanceId.1``, ``InstanceId.2``, ..."""
        return [value for key, value in self.parameters.items() if re.fullmatch(rf"{name}\.\d+", key)]


@dataclass(frozen=True, slots=True)
class Answer:
    status: int
    body: bytes
    headers: tuple[tuple[str, str], ...] = ()


@dataclass
class Fault:
    """A fault of the next requests to an action."""

    action: str
    """`ec2:RunInstances`, `ec2:*`."""
    kind: FaultKind
    times: int | None = 1
    """Number of requests; None for all."""
    when: Callable[[Call], bool] = lambda _: True
    """Which of the calls fail."""
    met: int = 0
    reached: Event = field(default_factory=Event)
    go_on: Event = field(default_factory=Event)

    def takes(self, call: Call) -> bool:
        if not fnmatchcase(call.action, self.action) or not self.when(call):
            return False
        if self.times is not None and self.met >= self.times:
            return False
        self.met += 1
        self.reached.set()
        return True


Supply = Callable[[Call, Callable[[], Answer]], Answer]
"""Handler of a call; its second argument lets the simulation answer it."""

PATIENCE_S = 240.0


@dataclass
class Between:
    """The endpoint, with faults that tests set."""

    moto: tuple[str, int]
    """Host and port of the simulation."""
    address: str = ""
    """Address for boto3."""
    external_id: str | None = None
    """External id that AssumeRole requires."""
    revoked: bool = False
    """Whether the role, and all that was signed with it, is invalid."""
    supplies: dict[str, Supply] = field(default_factory=dict)
    """Action -> handler instead of the simulation, or around it."""
    faults: list[Fault] = field(default_factory=list)
    calls: list[tuple[datetime, Call, int]] = field(default_factory=list)
    keys: Keys = field(default_factory=Keys)
    lock: Lock = field(default_factory=Lock)

    def fail(
        self, action: str, kind: FaultKind, times: int | None = 1, when: Callable[[Call], bool] = lambda _: True
    ) -> Fault:
        """Inject a fault; the newest one applies."""
        fault = Fault(action, kind, times, when)
        with self.lock:
            self.faults.insert(0, fault)
        return fault

    def heal(self) -> None:
        """Remove all faults, and release held requests."""
        with self.lock:
            taken, self.faults = self.faults, []
        for fault in taken:
            fault.go_on.set()

    def actions(self) -> list[str]:
        """Return the requested actions in order."""
        return [call.action for _, call, _ in self.calls]

    def fault_of(self, call: Call) -> Fault | None:
        with self.lock:
            return next((fault for fault in self.faults if fault.takes(call)), None)

    def refusal(self, call: Call, url: str, headers: Mapping[str, str], method: str) -> Answer | None:
        """Return the error for a request with invalid credentials; None if they are valid."""
        if call.action == "sts:AssumeRole" and (
            self.revoked or (self.external_id and call.parameters.get("ExternalId") != self.external_id)
        ):
            return error(call, "AccessDenied", "User is not authorized to perform: sts:AssumeRole", 403)
        if self.revoked and (call.presigned or self.keys.knows(call.key_id)):
            return _denied(call)
        if call.presigned:
            try:
                self.keys.check(method, url, headers)
            except Refused as reason:
                return error(call, reason.code, str(reason), 403)
        return None


def error(call: Call, code: str, words: str, status: int = 400) -> Answer:
    """Build an error in the format of the call's service."""
    if call.service == "s3":
        body = f"<?xml version='1.0'?><Error><Code>{code}</Code><Message>{words}</Message></Error>".encode()
    elif call.service == "sts":
        body = (
            '<ErrorResponse xmlns="https://sts.amazonaws.com/doc/2011-06-15/"><Error><Type>Sender</Type>'
            f"<Code>{code}</Code><Message>{words}</Message></Error><RequestId>r</RequestId></ErrorResponse>"
        ).encode()
    elif call.service == "ec2":
        inner = f"<Error><Code>{code}</Code><Message>{words}</Message></Error>"
        body = f"<Response><Errors>{inner}</Errors><RequestID>r</RequestID></Response>".encode()
    else:
        return Answer(status, json.dumps({"__type": code, "message": words}).encode(), (("x-amzn-errortype", code),))
    return Answer(status, body, (("Content-Type", "text/xml"),))


def _denied(call: Call) -> Answer:
    code = {"ec2": "UnauthorizedOperation", "s3": "AccessDenied", "sts": "AccessDenied"}
    return error(
        call, code.get(call.service, "AccessDeniedException"), f"You are not authorized to perform: {call.action}", 403
    )


def _throttled(call: Call) -> Answer:
    code = {"ec2": "RequestLimitExceeded", "s3": "SlowDown", "sts": "Throttling"}
    status = 503 if call.service in {"ec2", "s3"} else 400
    return error(call, code.get(call.service, "ThrottlingException"), "Request limit exceeded.", status)


def _of_fault(call: Call, kind: FaultKind) -> Answer | None:
    if kind == "throttle":
        return _throttled(call)
    if kind == "deny":
        return _denied(call)
    if kind == "capacity":
        return no_capacity(call, "the Availability Zone you requested")
    if kind == "broken":
        return error(call, "InternalError", "An internal error has occurred", 500)
    return None


def no_capacity(call: Call, zone: str) -> Answer:
    """Raise EC2's error for lack of capacity, which has status 500 there."""
    words = f"We currently do not have sufficient {call.parameters.get('InstanceType')} capacity in {zone}."
    return error(call, "InsufficientInstanceCapacity", words, 500)


def _named(method: str, url: str, headers: Mapping[str, str], body: bytes) -> Call:
    """Parse the action and the parameters of a request."""
    parts = urlsplit(url)
    query = dict(parse_qsl(parts.query, keep_blank_values=True))
    scope = re.search(r"Credential=([^,\s]+)", headers.get("Authorization", ""))
    presigned = "X-Amz-Credential" in query or "AWSAccessKeyId" in query
    key_id, _, region, service, *_ = (
        scope.group(1) if scope else query.get("X-Amz-Credential", "-/-/us-east-1/s3/-")
    ).split("/")
    parameters: dict[str, str] = {}
    if service == "s3":
        action = _of_s3(method, parts.path, query)
        bucket, _, key = unquote(parts.path).lstrip("/").partition("/")
        parameters = query | {"Bucket": bucket, "Key": key}
    elif target := headers.get("X-Amz-Target"):
        action = target.rpartition(".")[2]
        parameters = {name: str(value) for name, value in json.loads(body or b"{}").items()}
    elif operation := re.fullmatch(r"/service/[^/]+/operation/(\w+)", parts.path):
        action = operation.group(1)
    else:
        parameters = dict(parse_qsl(body.decode(), keep_blank_values=True)) | query
        action = parameters.get("Action", "")
    service = {"monitoring": "cloudwatch"}.get(service, service)
    return Call(f"{service}:{action}", parameters, region, key_id, presigned, body)


def _of_s3(method: str, path: str, query: Mapping[str, str]) -> str:
    in_bucket = path.strip("/").count("/") == 0
    named = {
        ("GET", True): "ListBucket",
        ("HEAD", True): "HeadBucket",
        ("PUT", True): "CreateBucket",
        ("DELETE", True): "DeleteBucket",
        ("POST", True): "DeleteObjects" if "delete" in query else "PostObject",
    }
    verb = {"GET": "Get", "HEAD": "Head", "PUT": "Put", "DELETE": "Delete", "POST": "Post"}[method]
    return named.get((method, in_bucket), f"{verb}Object")


class _Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    between: ClassVar[Between]

    def _answer(self) -> None:
        body = self._body()
        headers = dict(self.headers.items())
        call = _named(self.command, self.path, headers, body)
        fault = self.between.fault_of(call)
        if fault and fault.kind == "hold":
            fault.go_on.wait(PATIENCE_S)
        answer = self.between.refusal(call, self.path, headers, self.command)
        if answer is None and fault:
            answer = _of_fault(call, fault.kind)
        if fault and fault.kind == "cut":
            self._end(call)
            return
        if answer is None:
            supply = self.between.supplies.get(call.action)
            try:
                answer = supply(call, lambda: self._of_moto(call)) if supply else self._of_moto(call)
            except (OSError, HTTPException):
                self._end(call)
                return
        if call.action == "sts:AssumeRole" and answer.status == 200:
            self.between.keys.learn(answer.body)
        if fault and fault.kind == "lose":
            self._end(call)
            return
        self.between.calls.append((datetime.now(UTC), call, answer.status))
        self._send(answer)

    do_GET = do_POST = do_PUT = do_DELETE = do_HEAD = _answer  # noqa: N815 - names of the library

    def _end(self, call: Call) -> None:
        self.between.calls.append((datetime.now(UTC), call, 0))
        self.close_connection = True

    def _body(self) -> bytes:
        if self.headers.get("Transfer-Encoding") != "chunked":
            return self.rfile.read(int(self.headers.get("Content-Length", 0)))
        pieces = []
        while size := int(self.rfile.readline().split(b";")[0], 16):
            pieces.append(self.rfile.read(size))
            self.rfile.readline()
        while self.rfile.readline().strip():
            pass
        return b"".join(pieces)

    def _of_moto(self, call: Call) -> Answer:
        connection = HTTPConnection(*self.between.moto, timeout=PATIENCE_S)
        dropped = {"content-length", "transfer-encoding", "connection", "expect"}
        try:
            headers = {name: value for name, value in self.headers.items() if name.lower() not in dropped}
            connection.request(self.command, self.path, call.body, headers)
            got = connection.getresponse()
            kept = tuple(each for each in got.getheaders() if each[0].lower() not in {*dropped, "date", "server"})
            length = (("Content-Length", got.headers["Content-Length"]),) if self.command == "HEAD" else ()
            return Answer(got.status, got.read(), (*kept, *(each for each in length if each[1])))
        finally:
            connection.close()

    def _send(self, answer: Answer) -> None:
        self.send_response(answer.status)
        for name, value in answer.headers:
            self.send_header(name, value)
        if self.command != "HEAD" and answer.status != 204:
            self.send_header("Content-Length", str(len(answer.body)))
        self.end_headers()
        if self.command != "HEAD":
            self.wfile.write(answer.body)

    def log_message(self, *_: object) -> None:
        pass


class _Server(ThreadingHTTPServer):
    daemon_threads = True
    block_on_close = False
    request_queue_size = 128

    def handle_error(self, *_: object) -> None:
        """Ignore clients that disconnect before the answer; tests kill processes."""


@contextmanager
def between(moto: tuple[str, int]) -> Iterator[Between]:
    """Start the endpoint in front of a simulation of AWS."""
    made = Between(moto)
    handler = type("Handler", (_Handler,), {"between": made})
    with _Server(("127.0.0.1", 0), handler) as server:
        made.address = f"http://127.0.0.1:{server.server_address[1]}"
        thread = Thread(target=server.serve_forever, kwargs={"poll_interval": 0.1})
        thread.start()
        try:
            yield made
        finally:
            made.heal()
            server.shutdown()
            thread.join()
