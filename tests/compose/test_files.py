"""docker-compose.yml and its files: valid for every Compose version, closed by default, and complete."""

import itertools
import json
import os
import re
import shutil
import stat
import subprocess
import sys
from hashlib import sha256
from pathlib import Path
from typing import Any

import jsonschema
import pytest
import yaml

import stowage
from composition import ROOT, composition, defaults, new_secrets
from stowage.platform.jobs.queue import QUEUE_OF, QUEUES
from stowage.settings import Settings

WORKERS = {"worker", "worker-periodic", "worker-quick", "worker-refresh", "worker-runs", "worker-alerts"}
OURS = {"api", *WORKERS, "scheduler", "migrate"}
SERVICES: dict[str, Any] = composition()["services"]
SIGN_IN: dict[str, Any] = composition(file="docker-compose.sign-in.yml")


def program(name: str) -> str:
    """Find a program that is not in the lock file, or skip the test; `make soak` requires it."""
    beside = Path(sys.executable).parent / name
    found = str(beside) if beside.exists() else shutil.which(name)
    if found is None:
        if os.environ.get("STOWAGE_SOAK"):
            pytest.fail(f"{name} is not installed, and a soak leaves nothing out")
        pytest.skip(f"{name} is not installed (see CONTRIBUTING.md)")
    return found


def run(*command: str | Path, **environment: str) -> None:
    done = subprocess.run(
        command, cwd=ROOT, env={**os.environ, **environment}, capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stdout + done.stderr


def test_it_keeps_to_the_compose_specification() -> None:
    schema = json.loads((ROOT / "tests" / "compose" / "compose-spec.json").read_text())
    jsonschema.Draft202012Validator(schema).validate(composition())
    jsonschema.Draft202012Validator(schema).validate(SIGN_IN)


def test_the_schema_would_find_a_fault() -> None:
    schema = json.loads((ROOT / "tests" / "compose" / "compose-spec.json").read_text())
    document = composition()
    document["services"]["api"]["memory_limit"] = "1g"
    with pytest.raises(jsonschema.ValidationError):
        jsonschema.Draft202012Validator(schema).validate(document)


@pytest.mark.parametrize("files", [("docker-compose.yml",), ("docker-compose.yml", "docker-compose.sign-in.yml")])
def test_the_old_docker_compose_reads_it_too(files: tuple[str, ...]) -> None:
    named = [word for file in files for word in ("-f", file)]
    run(program("docker-compose"), *named, "config", "--quiet")


def test_the_image_s_recipe_has_no_known_fault() -> None:
    run(program("hadolint"), "infra/image/Dockerfile")


def test_the_scripts_have_no_known_fault() -> None:
    run(program("shellcheck"), "--severity=warning", "scripts/new-secrets", "scripts/setup", "infra/image/install")


@pytest.mark.parametrize("tls", ["internal", "operator@example.org"])
def test_the_proxy_reads_its_configuration(tls: str, tmp_path: Path) -> None:
    folders = {"XDG_DATA_HOME": str(tmp_path), "XDG_CONFIG_HOME": str(tmp_path)}
    caddyfile = ("--config", "infra/proxy/Caddyfile", "--adapter", "caddyfile")
    run(program("caddy"), "validate", *caddyfile, STOWAGE_DOMAIN="stowage.example.org", STOWAGE_TLS=tls, **folders)


@pytest.mark.parametrize("name", SERVICES)
def test_each_service_can_do_no_more_than_it_must(name: str) -> None:
    service = SERVICES[name]
    assert service["read_only"] is True
    assert service["cap_drop"] == ["ALL"]
    assert service.get("cap_add", []) == (["NET_BIND_SERVICE"] if name == "proxy" else [])
    assert service["security_opt"] == ["no-new-privileges:true"]
    assert {"mem_limit", "cpus", "pids_limit"} <= set(service)
    assert service["logging"]["options"] == {"max-size": "10m", "max-file": "5"}
    assert service["restart"] == ("no" if name == "migrate" else "unless-stopped")
    assert "privileged" not in service
    assert "healthcheck" in service


def test_only_the_proxy_is_reached_from_outside_and_at_first_only_from_this_machine() -> None:
    published = {name for name, service in SERVICES.items() if "ports" in service}
    assert published == {"proxy"}
    assert all(port.startswith("127.0.0.1:") for port in SERVICES["proxy"]["ports"])
    networks = composition()["networks"]
    assert {name for name, network in networks.items() if not network.get("internal")} == {"outside"}
    assert {name for name, service in SERVICES.items() if "outside" in service["networks"]} == {
        "proxy",
        "worker-refresh",
        "worker-runs",
        "worker-alerts",
    }
    assert {name for name, service in SERVICES.items() if "edge" in service["networks"]} == {"proxy", "api"}


def test_images_are_pinned_and_ours_is_one() -> None:
    assert {service["image"] for name, service in SERVICES.items() if name in OURS} == {
        f"stowage:{stowage.__version__}"
    }
    for name, service in SERVICES.items():
        assert re.search(r":\d+\.\d+(\.\d+)?(-\w+)?$", service["image"]), name
    recipe = (ROOT / "infra" / "image" / "Dockerfile").read_text()
    bases = re.findall(r"^FROM (\S+)", recipe, re.MULTILINE)
    assert len(bases) == 3
    assert all(re.search(r":\d+\.\d+\.\d+-", base) for base in bases)
    assert re.search(r"^USER 10001:10001$", recipe, re.MULTILINE)


def test_each_service_gets_the_secrets_it_needs_and_no_other() -> None:
    assert {name: set(service.get("secrets", [])) for name, service in SERVICES.items()} == {
        "proxy": set(),
        "api": {"database_url", "gate_database_url", "redis_url", "stowage_secrets_key"},
        "worker": {"database_url", "redis_url"},
        "worker-periodic": {"database_url", "gate_database_url", "redis_url"},
        "worker-quick": {"database_url", "redis_url"},
        "worker-refresh": {"database_url", "redis_url", "aws_credentials"},
        # It reaches into teams' AWS accounts, so it must not see data of all teams.
        "worker-runs": {"database_url", "redis_url", "aws_credentials", "stowage_secrets_key"},
        # It calls servers that teams choose, so it must not be able to assume roles in their accounts.
        "worker-alerts": {"database_url", "redis_url", "stowage_secrets_key"},
        "scheduler": {"redis_url"},
        # Only this service connects as the owner of the tables.
        "migrate": {"database_url", "gate_database_url", "migrations_database_url", "stowage_secrets_key"},
        "postgres": {"postgres_password", "owner_password", "application_password", "gate_password"},
        "redis": {"redis_acl"},
    }
    assert not [
        name
        for service in SERVICES.values()
        for name, value in service.get("environment", {}).items()
        if "PASSWORD" in name and not value.startswith("/run/secrets/")
    ]


def test_services_that_call_webhooks_have_no_aws_credentials() -> None:
    """Services of the queue `alerts` call servers that teams choose."""
    queues = {
        name: {value for option, value in itertools.pairwise(service["command"]) if option == "--queue"}
        for name, service in SERVICES.items()
        if service.get("command", [None])[0] == "worker"
    }
    assert {name for name, worked_on in queues.items() if QUEUE_OF["alert"] in worked_on} == {"worker-alerts"}
    assert queues["worker-alerts"] == {QUEUE_OF["alert"]}
    assert set().union(*queues.values()) == set(QUEUES)
    for extended in (SERVICES["worker-alerts"], SIGN_IN["services"]["worker-alerts"]):
        assert not [name for name in extended["secrets"] if "aws" in name]
        assert not [name for name in extended["environment"] if "AWS" in name]


def test_the_sign_in_overlay_changes_only_the_api_and_the_worker_for_alerts() -> None:
    """The overlay adds outbound network access and two secrets to the services that need them."""
    assert set(SIGN_IN["services"]) == {"api", "worker-alerts"}
    alerting = SIGN_IN["services"]["worker-alerts"]
    assert set(alerting["secrets"]) == {*SERVICES["worker-alerts"]["secrets"], "stowage_smtp_url"}
    assert set(alerting["environment"]) == {"STOWAGE_MAIL_FROM"}
    extended = SIGN_IN["services"]["api"]
    assert set(extended) == {"environment", "secrets", "networks"}
    # Older versions of Compose replace the list, newer ones append to it.
    assert set(extended["networks"]) == {*SERVICES["api"]["networks"], "outside"}
    assert set(extended["secrets"]) == {*SERVICES["api"]["secrets"], *SIGN_IN["secrets"]}
    names = {str(field.validation_alias) for field in Settings.model_fields.values()}
    assert set(extended["environment"]) | {name.upper() for name in SIGN_IN["secrets"]} <= names
    assert not set(extended["environment"]) & set(SERVICES["api"]["environment"])


@pytest.mark.parametrize("port", ["443", "8443"])
def test_links_begin_with_where_the_proxy_is_published(port: str, monkeypatch: pytest.MonkeyPatch) -> None:
    given = composition({"STOWAGE_DOMAIN": "stowage.example.org", "STOWAGE_HTTPS_PORT": port})
    monkeypatch.setenv("STOWAGE_PUBLIC_URL", given["services"]["api"]["environment"]["STOWAGE_PUBLIC_URL"])
    assert Settings().public_url == "https://stowage.example.org" + ("" if port == "443" else f":{port}")


def test_nothing_of_ours_starts_before_the_tables_are_there() -> None:
    for name in OURS - {"migrate"}:
        assert SERVICES[name]["depends_on"]["migrate"] == {"condition": "service_completed_successfully"}
    assert SERVICES["migrate"]["depends_on"]["postgres"] == {"condition": "service_healthy"}


def test_the_example_explains_every_setting_with_the_default_that_holds() -> None:
    text = (ROOT / ".env.example").read_text()
    written = dict(line.split("=", 1) for line in text.splitlines() if line and not line.startswith("#"))
    known = defaults()
    for name, found in defaults("docker-compose.sign-in.yml").items():
        known.setdefault(name, set()).update(found)
    assert {name: {value} for name, value in written.items()} == known
    assert all(before.startswith(("#", "STOWAGE_")) for before in text.splitlines() if before)


def test_secrets_are_made_for_all_that_the_file_names_and_kept_from_others(tmp_path: Path) -> None:
    folder = new_secrets(tmp_path / "secrets")
    assert {path.name for path in folder.iterdir()} == {*composition()["secrets"], *SIGN_IN["secrets"]}
    assert stat.S_IMODE(folder.stat().st_mode) == 0o700
    assert {stat.S_IMODE(path.stat().st_mode) for path in folder.iterdir()} == {0o444}
    names = ("postgres_password", "owner_password", "application_password", "gate_password")
    passwords = [(folder / name).read_text().strip() for name in names]
    assert len(set(passwords)) == len(names)
    assert all(re.fullmatch(r"[0-9a-f]{48}", password) for password in passwords)


def test_secrets_belong_together(tmp_path: Path) -> None:
    folder = new_secrets(tmp_path / "secrets")
    content = {path.name: path.read_text().strip() for path in folder.iterdir()}
    assert f"stowage_app:{content['application_password']}@postgres:5432/" in content["database_url"]
    assert f"stowage_gate:{content['gate_password']}@postgres:5432/" in content["gate_database_url"]
    assert f"stowage_owner:{content['owner_password']}@postgres:5432/" in content["migrations_database_url"]
    password = content["redis_url"].split(":")[2].split("@")[0]
    assert f"#{sha256(password.encode()).hexdigest()} " in content["redis_acl"]
    assert password not in content["redis_acl"]


def test_secrets_that_are_there_are_never_overwritten(tmp_path: Path) -> None:
    folder = new_secrets(tmp_path / "secrets")
    before = {path.name: path.read_text() for path in folder.iterdir()}
    again = subprocess.run([ROOT / "scripts" / "new-secrets", folder], capture_output=True, text=True, check=False)
    assert again.returncode == 1
    assert "left as they are" in again.stderr
    assert {path.name: path.read_text() for path in folder.iterdir()} == before


def test_settings_are_read_from_files_of_these_names(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("DATABASE_URL", "GATE_DATABASE_URL", "MIGRATIONS_DATABASE_URL", "REDIS_URL"):
        monkeypatch.delenv(name, raising=False)
    folder = new_secrets(tmp_path / "secrets")
    # The same source as in a container, except for the folder.
    settings = Settings(_secrets_dir=folder)
    for name in ("database_url", "gate_database_url", "migrations_database_url", "redis_url"):
        assert getattr(settings, name) == (folder / name).read_text().strip()
    # Files that are still to be filled in.
    assert (settings.smtp_url, settings.oidc_client_secret) == (None, None)
    monkeypatch.setenv("REDIS_URL", "redis://elsewhere")
    assert Settings(_secrets_dir=folder).redis_url == "redis://elsewhere"


def test_nothing_secret_and_nothing_large_is_sent_to_the_builder() -> None:
    ignored = (ROOT / ".dockerignore").read_text().splitlines()
    patterns = [line for line in ignored if line and not line.startswith("#")]
    assert patterns[0] == "*"
    sent = {pattern[1:] for pattern in patterns if pattern.startswith("!")}
    assert not sent & {"secrets", ".env", ".git", ".stowage", "tests"}
    copied = re.findall(
        r"^COPY (?!--from)(.+) \S+$", (ROOT / "infra" / "image" / "Dockerfile").read_text(), re.MULTILINE
    )
    needed = {source for line in copied for source in line.split()}
    assert all(any(source == name or source.startswith(f"{name}/") for name in sent) for source in needed)
    assert all((ROOT / source).exists() for source in needed)


def test_git_knows_nothing_of_secrets() -> None:
    ignored = (ROOT / ".gitignore").read_text().splitlines()
    assert {"/secrets/", "/.env"} <= set(ignored)


def test_the_copied_schema_is_what_its_source_says() -> None:
    told = yaml.safe_load((ROOT / "tests" / "compose" / "SOURCE.yaml").read_text())
    assert told["licence"] == "Apache-2.0"
    assert sha256((ROOT / "tests" / "compose" / "compose-spec.json").read_bytes()).hexdigest() == told["sha256"]
