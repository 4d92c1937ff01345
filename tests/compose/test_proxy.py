"""The proxy of docker-compose.yml in front of the API: its configuration, except for addresses and ports."""

import os
import shutil
import ssl
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

import httpx2 as httpx
import pytest

from composition import ROOT, Composed, composed
from process import free_port, redeemed


@dataclass
class Proxied:
    https: str
    http: str
    trusted: ssl.SSLContext


@contextmanager
def proxy(api_port: str, folder: Path) -> Iterator[Proxied]:
    program = shutil.which("caddy")
    if program is None:
        if os.environ.get("STOWAGE_SOAK"):
            pytest.fail("caddy is not installed, and a soak leaves nothing out")
        pytest.skip("caddy is not installed (see CONTRIBUTING.md)")
    http, https, alive = free_port(), free_port(), free_port()
    written = (ROOT / "infra" / "proxy" / "Caddyfile").read_text()
    moved = written
    for there, here in (
        ("\tadmin off\n", f"\tadmin off\n\thttp_port {http}\n\thttps_port {https}\n"),
        ("api:{$STOWAGE_PORT:8000}", f"127.0.0.1:{api_port}"),
        ("http://127.0.0.1:8081", f"http://127.0.0.1:{alive}"),
    ):
        assert there in written
        moved = moved.replace(there, here)
    (folder / "Caddyfile").write_text(moved)
    process = subprocess.Popen(
        [program, "run", "--config", folder / "Caddyfile", "--adapter", "caddyfile"],
        env={"PATH": os.environ["PATH"], "HOME": str(folder), "XDG_DATA_HOME": str(folder)},
        stdout=subprocess.DEVNULL,
        stderr=subprocess.PIPE,
        text=True,
    )
    with process:
        try:
            assert process.stderr is not None
            said = []
            for line in process.stderr:
                said.append(line)
                # The last step of its start; before it, no request over TLS is answered.
                if "certificate obtained successfully" in line:
                    break
            else:
                raise AssertionError("".join(said))
            authority = folder / "caddy" / "pki" / "authorities" / "local" / "root.crt"
            assert httpx.get(f"http://127.0.0.1:{alive}/").text == "ok"
            yield Proxied(
                f"https://localhost:{https}", f"http://localhost:{http}", ssl.create_default_context(cafile=authority)
            )
        finally:
            process.terminate()
            process.communicate(timeout=60)


@contextmanager
def api(folder: Path) -> Iterator[Composed]:
    with composed(folder) as services:
        services.start("migrate")
        services.start("api")
        services.wait("api", "service_healthy")
        yield services
        assert services.stop()["api"] == 0


@pytest.mark.soak("tools")
def test_the_page_and_the_api_are_reached_over_tls_only(tmp_path: Path) -> None:
    with api(tmp_path) as services, proxy(services.replaced["STOWAGE_PORT"], tmp_path) as proxied:
        with httpx.Client(base_url=proxied.https, verify=proxied.trusted) as client:
            answer = client.get("/api/v1/readiness", headers={"x-request-id": "through-the-proxy"})
            assert (answer.status_code, answer.headers["x-request-id"]) == (200, "through-the-proxy")
            assert answer.headers["strict-transport-security"] == "max-age=31536000"
            assert "default-src 'self'" in client.get("/").headers["content-security-policy"]
            # Behind TLS the cookie is restricted to TLS and to this host.
            redeemed(client, services.run("api", "link"))
            [cookie] = client.cookies.jar
            assert (cookie.name, cookie.secure, cookie.path) == ("__Host-stowage", True, "/")
            large = client.post("/api/v1/plans", content=b" " * 1_000_000, headers={"content-type": "application/json"})
            assert (large.status_code, large.json()["title"]) == (413, "Too large")
        plain = httpx.get(f"{proxied.http}/plans", follow_redirects=False)
        assert plain.status_code == 308
        assert plain.headers["location"].startswith("https://localhost")


@pytest.mark.soak("tools")
def test_progress_passes_as_it_comes(tmp_path: Path) -> None:
    with (
        api(tmp_path) as services,
        proxy(services.replaced["STOWAGE_PORT"], tmp_path) as proxied,
        httpx.Client(base_url=proxied.https, verify=proxied.trusted) as client,
    ):
        sweep = {
            "base": {"workload": {"data": "1 TB"}},
            "columns": {"quantity": "data", "values": ["1 TB"]},
            "rows": {"quantity": "deadline", "values": ["2 h"]},
        }
        redeemed(client, services.run("api", "link"))
        job_id = client.post("/api/v1/sweeps", json=sweep).json()["job"]["id"]
        # No worker runs: the job does not end, and yet the first event arrives.
        with client.stream("GET", f"/api/v1/jobs/{job_id}/events") as events:
            first = next(line for line in events.iter_lines() if line.startswith("data:"))
            assert job_id in first
