"""`stowage login`, `plan --save` and `logout`: tokens for a service on this machine and for others."""

import json
import os
import stat
import subprocess
import sys
import threading
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import ClassVar

import httpx2 as httpx
import pytest

from process import Running, free_port, stowage
from stowage.cli.server.running import running as found_running
from stowage.cli.service import listens_for_us

ROOT = Path(__file__).resolve().parents[2]
TABLE2 = str(ROOT / "examples" / "table2.yaml")


@pytest.fixture
def here(up: Running, tmp_path: Path) -> dict[str, str]:
    """Return the settings of a user on the service's machine, with a token folder of the test's own."""
    return {**up.settings, "XDG_CONFIG_HOME": str(tmp_path / "config")}


@pytest.fixture
def elsewhere(tmp_path: Path) -> dict[str, str]:
    """Return the settings of a user who knows only the service's address."""
    return {"STOWAGE_HOME": str(tmp_path / "none"), "XDG_CONFIG_HOME": str(tmp_path / "config")}


def kept(settings: dict[str, str]) -> Path:
    return Path(settings["XDG_CONFIG_HOME"]) / "stowage" / "credentials.json"


def new_token(client: httpx.Client, *scopes: str) -> str:
    made = client.post("/api/v1/tokens", json={"name": "of a test", "scopes": scopes})
    assert made.status_code == 201, made.text
    return str(made.json()["secret"])


def test_on_the_machine_of_the_service_nothing_is_asked(
    up: Running, client: httpx.Client, here: dict[str, str]
) -> None:
    not_yet = stowage("plan", TABLE2, "--save", settings=here)
    assert (not_yet.returncode, not_yet.stdout) == (2, "")
    assert not_yet.stderr == f"stowage: not signed in at {up.address}: stowage login {up.address}\n"
    done = stowage("login", settings=here)
    assert (done.returncode, done.stderr) == (0, "")
    assert done.stdout.startswith(f"Signed in at {up.address} as Local owner of local team until 20")
    assert [stat.S_IMODE(path.stat().st_mode) for path in (kept(here), kept(here).parent)] == [0o600, 0o700]
    again = stowage("login", settings=here)
    assert again.stdout == f"Signed in at {up.address} already, as Local owner of local team.\n"
    saved = stowage("plan", TABLE2, "--save", settings=here)
    assert (saved.returncode, saved.stderr) == (0, "")
    address = saved.stdout.removeprefix("Saved as ").strip()
    assert address.startswith(f"{up.address}/plans/")
    assert client.get(f"/api/v1/plans/{address.rpartition('/')[2]}").status_code == 200
    assert stowage("logout", settings=here).returncode == 0
    assert json.loads(kept(here).read_text()) == {}
    assert stowage("plan", TABLE2, "--save", settings=here).returncode == 2


def test_from_elsewhere_a_token_is_handed_over_and_tried(
    up: Running, client: httpx.Client, elsewhere: dict[str, str]
) -> None:
    token = new_token(client, "plan")
    login = ("login", up.address, "--token-file", "-")
    wrong = stowage(*login, settings=elsewhere, input=f"stw_{'0' * 43}\n")
    assert (wrong.returncode, wrong.stdout) == (2, "")
    assert wrong.stderr == "stowage: the token is not accepted there: none, revoked or expired\n"
    done = stowage(*login, settings=elsewhere, input=f"{token}\n")
    assert (done.returncode, done.stderr) == (0, "")
    assert token not in done.stdout
    saved = stowage("plan", TABLE2, "--save", "--json", settings=elsewhere | {"STOWAGE_URL": f"{up.address}/"})
    assert saved.returncode == 0
    answer = json.loads(saved.stdout)
    assert answer["answer"]["configurations"]
    [row] = [row for row in client.get("/api/v1/tokens").json()["tokens"] if row["hint"] == token[:8]]
    assert row["last_used_at"] is not None
    assert client.delete(f"/api/v1/tokens/{row['id']}").status_code == 204
    after = stowage("plan", TABLE2, "--save", settings=elsewhere | {"STOWAGE_URL": up.address})
    assert (after.returncode, after.stdout) == (2, "")
    assert "not signed in" in after.stderr
    out = stowage("logout", up.address, settings=elsewhere)
    assert out.returncode == 0
    assert stowage("logout", up.address, settings=elsewhere).returncode == 2


def test_what_the_environment_says_goes_first(up: Running, client: httpx.Client, elsewhere: dict[str, str]) -> None:
    named = elsewhere | {"STOWAGE_URL": up.address, "STOWAGE_TOKEN": new_token(client, "plan")}
    assert stowage("plan", TABLE2, "--save", settings=named).returncode == 0
    assert not kept(named).exists()


def test_a_token_that_may_only_read_saves_nothing(up: Running, client: httpx.Client, elsewhere: dict[str, str]) -> None:
    named = elsewhere | {"STOWAGE_URL": up.address, "STOWAGE_TOKEN": new_token(client, "read")}
    before = client.get("/api/v1/plans").json()
    refused = stowage("plan", TABLE2, "--save", settings=named)
    assert (refused.returncode, refused.stdout) == (2, "")
    assert "make one with the scope 'plan'" in refused.stderr
    assert refused.stderr.count("\n") == 1
    assert client.get("/api/v1/plans").json() == before


def test_a_file_that_is_not_accepted_is_told_by_field_as_without_a_service(
    up: Running, client: httpx.Client, elsewhere: dict[str, str], tmp_path: Path
) -> None:
    named = elsewhere | {"STOWAGE_URL": up.address, "STOWAGE_TOKEN": new_token(client, "plan")}
    file = tmp_path / "sort.yaml"
    file.write_text("{workload: {data: 1 TB}, place: {region: nowhere-1}}")
    refused = stowage("plan", str(file), "--save", settings=named)
    assert refused.returncode == 2
    assert refused.stderr.startswith("stowage: place.region: ")
    both = stowage("plan", TABLE2, "--save", "--regions", settings=named)
    assert both.returncode == 2
    assert "--save" in both.stderr


@pytest.mark.parametrize(
    ("address", "part"),
    [
        ("http://stowage.example.org", "is not behind TLS"),
        ("http://192.0.2.1:8000", "is not behind TLS"),
        ("ftp://stowage.example.org", "is no address of a service"),
        ("stowage.example.org", "is no address of a service"),
        ("https://ada:secret@stowage.example.org", "is no address of a service"),
        ("https://stowage.example.org/somewhere", "is no address of a service"),
        ("https://stowage.example.org:many", "is no address of a service"),
    ],
)
def test_a_token_is_sent_nowhere_where_it_could_be_read(elsewhere: dict[str, str], address: str, part: str) -> None:
    refused = stowage("login", address, "--token-file", "-", settings=elsewhere, input=f"stw_{'0' * 43}")
    assert (refused.returncode, refused.stdout) == (2, "")
    assert part in refused.stderr
    named = elsewhere | {"STOWAGE_URL": address, "STOWAGE_TOKEN": f"stw_{'0' * 43}"}
    assert stowage("plan", TABLE2, "--save", settings=named).returncode == 2


def test_no_question_is_asked_without_a_terminal(elsewhere: dict[str, str]) -> None:
    refused = stowage("login", "https://stowage.example.org", settings=elsewhere, input="")
    assert refused.returncode == 2
    assert "--token-file" in refused.stderr


def test_tokens_that_others_can_read_are_not_used(here: dict[str, str]) -> None:
    assert stowage("login", settings=here).returncode == 0
    kept(here).chmod(0o644)
    for command in (("plan", TABLE2, "--save"), ("logout",), ("login",)):
        refused = stowage(*command, settings=here)
        assert (refused.returncode, refused.stdout) == (1, "")
        assert f"{kept(here)} can be read by others" in refused.stderr
    kept(here).chmod(0o600)
    kept(here).write_text("{")
    assert "mend or remove it" in stowage("logout", settings=here).stderr


@pytest.mark.skipif(os.geteuid() != 0, reason="only root can give a file away")
def test_tokens_of_another_user_are_not_used(here: dict[str, str]) -> None:
    assert stowage("login", settings=here).returncode == 0
    os.chown(kept(here), 12345, -1)
    assert "can be read by others" in stowage("plan", TABLE2, "--save", settings=here).stderr


def test_a_service_that_does_not_answer_is_told(elsewhere: dict[str, str]) -> None:
    address = f"http://127.0.0.1:{free_port()}"
    named = elsewhere | {"STOWAGE_URL": address, "STOWAGE_TOKEN": f"stw_{'0' * 43}"}
    silent = stowage("plan", TABLE2, "--save", settings=named)
    assert (silent.returncode, silent.stdout) == (1, "")
    assert silent.stderr == f"stowage: {address} does not answer: there is no connection\n"


def test_a_stored_token_is_not_sent_to_another_listener(elsewhere: dict[str, str]) -> None:
    """Another user of this machine listens on the port of a service that is down."""
    address = f"http://127.0.0.1:{free_port()}"
    kept(elsewhere).parent.mkdir(parents=True)
    token = {"token": f"stw_{'0' * 43}", "team": "Red", "person": "Ada", "expires_at": None}
    kept(elsewhere).write_text(json.dumps({address: token}))
    kept(elsewhere).chmod(0o600)
    refused = stowage("plan", TABLE2, "--save", settings=elsewhere | {"STOWAGE_URL": address})
    assert (refused.returncode, refused.stdout) == (1, "")
    assert f"nothing of yours listens at {address}" in refused.stderr
    out = stowage("logout", address, settings=elsewhere)
    assert out.returncode == 1
    assert "the token is forgotten here and not revoked there" in out.stderr


@pytest.mark.skipif(os.geteuid() != 0, reason="only root can become another user")
def test_who_listens_is_asked_of_the_kernel() -> None:
    script = (
        "import os, socket, sys; os.setuid(int(sys.argv[1])); s = socket.create_server(('127.0.0.1', 0));"
        "print(s.getsockname()[1], flush=True); s.accept()"
    )
    for user, ours in ((0, True), (12345, False)):
        command = [sys.executable, "-c", script, str(user)]
        with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as process:
            assert process.stdout is not None
            assert listens_for_us(int(process.stdout.readline())) is ours
            process.kill()


def test_a_service_file_of_another_user_is_ignored(up: Running) -> None:
    home = Path(up.settings["STOWAGE_HOME"])
    assert found_running(home) is not None
    if os.geteuid() == 0:
        os.chown(home / "running.json", 12345, -1)
        assert found_running(home) is None
        os.chown(home / "running.json", 0, -1)


class Elsewhere(BaseHTTPRequestHandler):
    """A server that redirects every client, and records the requests with their tokens."""

    asked: ClassVar[list[tuple[str, str | None]]] = []

    def do_GET(self) -> None:
        self.asked.append((self.path, self.headers.get("Authorization")))
        self.send_response(307)
        self.send_header("Location", f"http://localhost:{self.server.server_port}/elsewhere")  # type: ignore[attr-defined]
        self.send_header("Content-Length", "0")
        self.end_headers()

    do_POST = do_GET  # noqa: N815 - names of http.server

    def log_message(self, *_: object) -> None:
        pass


def test_a_token_follows_no_redirect_no_proxy_and_no_netrc(elsewhere: dict[str, str], tmp_path: Path) -> None:
    (tmp_path / ".netrc").write_text("machine 127.0.0.1 login ada password wrong\n")
    (tmp_path / ".netrc").chmod(0o600)
    token = f"stw_{'0' * 43}"
    with ThreadingHTTPServer(("127.0.0.1", 0), Elsewhere) as server:
        threading.Thread(target=server.serve_forever, daemon=True).start()
        named = elsewhere | {
            "STOWAGE_URL": f"http://127.0.0.1:{server.server_port}",
            "STOWAGE_TOKEN": token,
            "HOME": str(tmp_path),
            "http_proxy": "http://127.0.0.1:1",
        }
        refused = stowage("plan", TABLE2, "--save", settings=named)
        server.shutdown()
    assert refused.returncode == 1
    assert "not as Stowage does" in refused.stderr
    assert Elsewhere.asked == [("/api/v1/plans", f"Bearer {token}")]
