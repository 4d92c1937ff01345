"""AWS for tests: entries of the price list in their real shape, and a server that answers with them.

EC2 is moto's, except for spot prices, which moto makes up. Faults can be injected: throttling, refusals, cut answers.
"""

import json
from collections import deque
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.client import HTTPConnection
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from threading import Event, Thread
from typing import Any, ClassVar
from urllib.parse import parse_qs, urlencode

from moto.server import ThreadedMotoServer

Entry = dict[str, Any]
PAGE = 3
"""Default number of price list entries in a page: few, so that there are several pages."""


def dimension(unit: str, usd: str, words: str = "", currency: str = "USD") -> Entry:
    return {
        "unit": unit,
        "endRange": "Inf",
        "description": words or f"${usd} per {unit}",
        "appliesTo": [],
        "rateCode": "SKU.TERM.6YS6EN2CT7",
        "beginRange": "0",
        "pricePerUnit": {currency: usd},
    }


def term(dimensions: Sequence[Entry], **attributes: str) -> Entry:
    return {
        "priceDimensions": {f"SKU.TERM.{number}": each for number, each in enumerate(dimensions)},
        "sku": "SKU",
        "effectiveDate": "2026-11-01T00:00:00Z",
        "offerTermCode": "TERM",
        "termAttributes": attributes,
    }


def entry(family: str, attributes: Mapping[str, str], on_demand: Entry, reserved: Sequence[Entry] = ()) -> Entry:
    terms: Entry = {"OnDemand": {"SKU.JRTCKXETXF": term([on_demand])}}
    if reserved:
        terms["Reserved"] = {f"SKU.{number}": each for number, each in enumerate(reserved)}
    return {
        "product": {
            "productFamily": family,
            "attributes": {"regionCode": "us-east-1", "locationType": "AWS Region", **attributes},
            "sku": "SKU",
        },
        "serviceCode": "AmazonEC2",
        "terms": terms,
        "version": "20261118174523",
        "publicationDate": "2026-11-18T17:45:23Z",
    }


def reserved(years: str, option: str, offering: str, *dimensions: Entry) -> Entry:
    return term(dimensions, LeaseContractLength=years, OfferingClass=offering, PurchaseOption=option)


def instance(name: str, usd: str, *, region: str = "us-east-1", unit: str = "Hrs", currency: str = "USD") -> Entry:
    """Return a GetProducts entry for ``BoxUsage``, with two reservations that are used and two others."""
    hourly = float(usd)
    return entry(
        "Compute Instance",
        {
            "instanceType": name,
            "regionCode": region,
            "operatingSystem": "Linux",
            "tenancy": "Shared",
            "preInstalledSw": "NA",
            "capacitystatus": "Used",
            "marketoption": "OnDemand",
            "usagetype": f"BoxUsage:{name}",
            "operation": "RunInstances",
            "licenseModel": "No License required",
        },
        dimension(unit, usd, f"${usd} per On Demand Linux {name} Instance Hour", currency),
        [
            reserved("1yr", "No Upfront", "standard", dimension("Hrs", f"{hourly * 0.6:.10f}", currency=currency)),
            reserved("1yr", "No Upfront", "convertible", dimension("Hrs", f"{hourly * 0.7:.10f}", currency=currency)),
            reserved(
                "3yr",
                "All Upfront",
                "standard",
                dimension("Quantity", f"{hourly * 0.4 * 26280:.10f}", "Upfront Fee", currency),
                dimension("Hrs", "0.0000000000", currency=currency),
            ),
            reserved(
                "3yr",
                "Partial Upfront",
                "standard",
                dimension("Quantity", "100", "Upfront Fee", currency),
                dimension("Hrs", f"{hourly * 0.2:.10f}", currency=currency),
            ),
        ],
    )


def volume(usage: str, unit: str, usd: str, family: str = "Storage", region: str = "us-east-1") -> Entry:
    return entry(family, {"usagetype": usage, "regionCode": region}, dimension(unit, usd))


GP3: tuple[Entry, ...] = (
    volume("EBS:VolumeUsage.gp3", "GB-Mo", "0.0700000000"),
    volume("EBS:VolumeP-IOPS.gp3", "IOPS-Mo", "0.0050000000", "System Operation"),
    volume("EBS:VolumeP-Throughput.gp3", "GiBps-mo", "40.9600000000", "Provisioned Throughput"),
    volume("EBS:SnapshotUsage", "GB-Mo", "0.0500000000", "Storage Snapshot"),
)

TRANSFER = entry(
    "Data Transfer",
    {"usagetype": "DataTransfer-Regional-Bytes", "transferType": "IntraRegion", "fromRegionCode": "us-east-1"},
    dimension("GB", "0.0100000000"),
)


@dataclass
class Aws:
    """Answers of the server, which tests may change."""

    address: str
    moto: tuple[str, int]
    entries: list[Entry] = field(default_factory=list)
    """The price list."""
    spot: dict[str, float] = field(default_factory=dict)
    """Type -> price in one zone; a tenth more in the other."""
    faults: deque[tuple[str, str]] = field(default_factory=deque)
    """(part of the action's name, fault): faults of the next requests of that name: one of `_ERRORS`, "cut" after half
    of the answer, "hold" it until `go_on`; "" for none."""
    asked: list[str] = field(default_factory=list)
    holding: Event = field(default_factory=Event)
    go_on: Event = field(default_factory=Event)
    of_moto: dict[bytes, bytes] = field(default_factory=dict)
    types: Sequence[str] = ()
    """All types of EC2; if empty, all that moto has."""
    page: int = PAGE
    """Entries of the price list in a page."""

    def fail(self, action: str, fault: str, times: int = 1) -> None:
        self.faults.extend([(action, fault)] * times)

    def fault_of(self, action: str) -> str | None:
        if self.faults and self.faults[0][0] == action:
            return self.faults.popleft()[1]
        return None

    def products(self, request: Mapping[str, Any]) -> Entry:
        wanted = {each["Field"]: each["Value"] for each in request["Filters"]}
        found = [each for each in self.entries if _fits(each, wanted)]
        first = int(request.get("NextToken") or 0)
        answer: Entry = {
            "FormatVersion": "aws_v1",
            "PriceList": [json.dumps(each) for each in found[first : first + self.page]],
        }
        return answer | ({"NextToken": str(first + self.page)} if first + self.page < len(found) else {})

    def spot_history(self) -> str:
        rows = "".join(
            f"<item><instanceType>{name}</instanceType><productDescription>Linux/UNIX</productDescription>"
            f"<spotPrice>{usd * factor:.6f}</spotPrice><timestamp>2026-11-20T1{hour}:00:00.000Z</timestamp>"
            f"<availabilityZone>us-east-1{zone}</availabilityZone></item>"
            for name, usd in self.spot.items()
            for zone, hour, factor in (("a", 0, 3.0), ("a", 1, 1.0), ("b", 0, 1.1))
        )
        return (
            '<DescribeSpotPriceHistoryResponse xmlns="http://ec2.amazonaws.com/doc/2016-11-15/">'
            f"<requestId>r</requestId><spotPriceHistorySet>{rows}</spotPriceHistorySet><nextToken/>"
            "</DescribeSpotPriceHistoryResponse>"
        )


def _fits(each: Entry, wanted: Mapping[str, str]) -> bool:
    told = {"productFamily": each["product"]["productFamily"], **each["product"]["attributes"]}
    return all(told.get(name) == value for name, value in wanted.items())


class _Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    aws: ClassVar[Aws]

    def do_POST(self) -> None:
        body = self.rfile.read(int(self.headers["Content-Length"]))
        target = self.headers.get("X-Amz-Target", "")
        action = target.rpartition(".")[2] if target else parse_qs(body.decode())["Action"][0]
        self.aws.asked.append(action)
        fault = self.aws.fault_of(action)
        if fault == "hold":
            self.aws.holding.set()
            self.aws.go_on.wait(60)
        if fault in _ERRORS:
            self._refuse(fault, in_json=bool(target))
            return
        if target:
            content = json.dumps(self.aws.products(json.loads(body))).encode()
        elif action == "DescribeSpotPriceHistory":
            content = self.aws.spot_history().encode()
        else:
            wanted = {f"Filter.1.Value.{number}": name for number, name in enumerate(self.aws.types, 1)}
            if wanted:
                body += b"&" + urlencode({"Filter.1.Name": "instance-type", **wanted}).encode()
            # Moto takes seconds to describe 1,395 types, and always gives the same answer.
            if body not in self.aws.of_moto:
                self.aws.of_moto[body] = self._of_moto(body)
            content = self.aws.of_moto[body]
        self._send(200, content, cut=fault == "cut")

    def _of_moto(self, body: bytes) -> bytes:
        connection = HTTPConnection(*self.aws.moto)
        try:
            headers = {name: value for name, value in self.headers.items() if name.lower() != "content-length"}
            connection.request("POST", "/", body, headers)
            return connection.getresponse().read()
        finally:
            connection.close()

    def _refuse(self, fault: str, *, in_json: bool) -> None:
        status, code, words = _ERRORS[fault]
        if in_json:
            self._send(status, json.dumps({"__type": code, "message": words}).encode())
        else:
            error = f"<Error><Code>{code}</Code><Message>{words}</Message></Error>"
            self._send(status, f"<Response><Errors>{error}</Errors><RequestID>r</RequestID></Response>".encode())

    def _send(self, status: int, content: bytes, *, cut: bool = False) -> None:
        self.send_response(status)
        self.send_header("Content-Length", str(len(content)))
        self.end_headers()
        self.wfile.write(content[: len(content) // 2] if cut else content)
        self.close_connection = cut

    def log_message(self, *_: object) -> None:
        pass


_ERRORS = {
    "throttle": (400, "ThrottlingException", "Rate exceeded"),
    "deny": (400, "AccessDeniedException", "User: arn:aws:iam::1:user/x is not authorized to perform this"),
    "unauthorized": (403, "UnauthorizedOperation", "You are not authorized to perform this operation."),
    "not enabled": (401, "AuthFailure", "AWS was not able to validate the provided access credentials"),
    "bad token": (400, "InvalidNextTokenException", "The token is invalid"),
}


@contextmanager
def aws_server() -> Iterator[Aws]:
    """Run the server on this machine."""
    moto = ThreadedMotoServer(ip_address="127.0.0.1", port=0, verbose=False)
    moto.start()
    try:
        aws = Aws("", moto.get_host_and_port())
        handler = type("Handler", (_Handler,), {"aws": aws})
        with ThreadingHTTPServer(("127.0.0.1", 0), handler) as server:
            server.daemon_threads = True
            aws.address = f"http://127.0.0.1:{server.server_address[1]}"
            thread = Thread(target=server.serve_forever)
            thread.start()
            try:
                yield aws
            finally:
                server.shutdown()
                thread.join()
    finally:
        moto.stop()


def environment(aws: Aws) -> dict[str, str]:
    """Return the settings that make boto3 use this server."""
    return {
        "AWS_ENDPOINT_URL": aws.address,
        "AWS_ACCESS_KEY_ID": "AKIAEXAMPLE",
        "AWS_SECRET_ACCESS_KEY": "example",
        "AWS_EC2_METADATA_DISABLED": "true",
        "AWS_CONFIG_FILE": "/nonexistent",
        "AWS_SHARED_CREDENTIALS_FILE": "/nonexistent",
    }
