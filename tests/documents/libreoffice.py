"""LibreOffice as an independent check of what a workbook computes."""

import shutil
import subprocess
from collections.abc import Mapping
from pathlib import Path

import pytest

_ALWAYS_COMPUTE = """<?xml version="1.0" encoding="UTF-8"?>
<oor:items xmlns:oor="http://openoffice.org/2001/registry">
<item oor:path="/org.openoffice.Office.Calc/Formula/Load">
<prop oor:name="OOXMLRecalcMode" oor:op="fuse"><value>0</value></prop></item>
</oor:items>
"""
"""Without this setting it would use the values stored in the file."""


def recomputed(files: Mapping[str, bytes], folder: Path) -> dict[str, Path]:
    """Recompute workbooks, all in one run; skip the test if LibreOffice is not installed."""
    program = shutil.which("soffice")
    if program is None:
        pytest.skip("LibreOffice (soffice) is not installed: no other program here computes the workbook")
    profile, given, made = folder / "profile", folder / "given", folder / "made"
    (profile / "user").mkdir(parents=True)
    (profile / "user" / "registrymodifications.xcu").write_text(_ALWAYS_COMPUTE)
    given.mkdir()
    for name, content in files.items():
        (given / f"{name}.xlsx").write_bytes(content)
    paths = [str(given / f"{name}.xlsx") for name in files]
    settings = [f"-env:UserInstallation={profile.as_uri()}", "--headless", "--norestore"]
    subprocess.run(
        [program, *settings, "--convert-to", "xlsx", "--outdir", str(made), *paths],
        check=True,
        capture_output=True,
        timeout=120,
    )
    return {name: made / f"{name}.xlsx" for name in files}
