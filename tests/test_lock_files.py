"""Lock files and committed files contain no registry address and no path of a machine."""

import re
from pathlib import Path

import pytest

ADDRESS = r'"resolved":|^--(?:extra-)?index-url|^--find-links|^registry ?='
ROOT = Path(__file__).resolve().parents[1]
PYTHON = ["requirements.lock", "bench/laboratory/requirements.lock", "bench/load/requirements.lock"]


@pytest.mark.parametrize("name", [*PYTHON, "frontend/package-lock.json", "frontend/.npmrc"])
def test_lock_files_record_no_address(name: str) -> None:
    text = (ROOT / name).read_text()
    assert re.findall(ADDRESS, text, re.MULTILINE) == []


@pytest.mark.parametrize("name", PYTHON)
def test_python_packages_are_pinned_by_hash(name: str) -> None:
    text = (ROOT / name).read_text()
    requirements = re.findall(r"^[a-z0-9].*?(?=^[a-z0-9]|\Z)", text, re.MULTILINE | re.DOTALL)
    assert len(requirements) > 30
    assert all("==" in requirement and "--hash=sha256:" in requirement for requirement in requirements)
