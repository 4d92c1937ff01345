"""Imports of commands: a command loads only the modules that it needs."""

import json
import subprocess
import sys
from pathlib import Path
from typing import get_args

import pytest

from stowage.cli.commands import OBJECTIVES
from stowage.model.choice import Objective

ROOT = Path(__file__).resolve().parents[2]
SERVERS = {
    *("alembic", "argon2", "authlib", "boto3", "botocore", "celery", "fastapi", "kombu", "psycopg", "pyotp", "redis"),
    *("requests", "segno", "sqlalchemy", "starlette", "typst", "uharfbuzz", "uvicorn", "xlsxwriter", "zxcvbn"),
}
ARITHMETIC = {"numpy", "pydantic", "scipy", "yaml"}
AT_EXIT = """
import atexit, json, sys
atexit.register(lambda: print(json.dumps(sorted(sys.modules)), file=sys.stderr))
sys.argv[0] = "stowage"
from stowage.cli import main
main()
"""


def loaded(*arguments: str) -> set[str]:
    command = [sys.executable, "-c", AT_EXIT, *arguments]
    finished = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=True)
    assert finished.stdout
    names: list[str] = json.loads(finished.stderr.splitlines()[-1])
    return set(names)


@pytest.mark.parametrize("option", ["--version", "--help"])
def test_what_says_only_what_there_is_computes_nothing(option: str) -> None:
    found = loaded(option)
    assert not found & (SERVERS | ARITHMETIC | {"rich", "importlib.metadata"})
    assert not [name for name in found if name.startswith(("stowage.model", "stowage.features", "stowage.optimizer"))]


PLANNED = [
    pytest.param(("plan", "examples/table2.yaml"), marks=pytest.mark.soak("tools")),
    ("plan", "examples/log-on-gp2.yaml"),
    ("predict", "examples/figure9-i2.yaml"),
]


@pytest.mark.parametrize("arguments", PLANNED, ids=" ".join)
def test_planning_and_predicting_load_no_server(arguments: tuple[str, ...]) -> None:
    found = loaded(*arguments)
    assert {"numpy", "rich.table"} <= found
    assert not found & (SERVERS | {"scipy", "numpy.ma"})
    assert not [
        name
        for name in found
        if name.startswith(("stowage.validation", "stowage.measure", "stowage.platform.database"))
    ]


@pytest.mark.parametrize("arguments", PLANNED, ids=" ".join)
def test_a_document_needs_no_terminal(arguments: tuple[str, ...]) -> None:
    assert not loaded(*arguments, "--json") & (SERVERS | {"scipy", "numpy.ma", "rich"})


def test_the_objectives_that_stand_in_the_command_are_those_of_the_model() -> None:
    assert get_args(Objective) == OBJECTIVES
