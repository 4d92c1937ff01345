"""Compile the libraries, cut the snapshots into parts, and put into wheels what they need to run without the checkout.

A plain `force-include` of the folders would also be demanded of editable installs, where the page need not be built.
"""

import os
import runpy
import shlex
import shutil
import subprocess
import sys
import sysconfig
from pathlib import Path
from typing import Any

from hatchling.builders.hooks.plugin.interface import BuildHookInterface

TRAVELLING = {
    "migrations": "stowage/migrations",
    "frontend/dist": "stowage/page",
    "infra/connect-account.yaml": "stowage/connect-account.yaml",
}
LIBRARIES = {
    "backend/stowage/optimizer/libkernel.so": (
        "backend/stowage/optimizer/csrc/kernel.c",
        "backend/stowage/optimizer/csrc/bulk.c",
    ),
    "backend/stowage/measure/libreaders.so": (
        "backend/stowage/measure/csrc/records.c",
        "backend/stowage/measure/csrc/documents.c",
        "backend/stowage/measure/csrc/shapes.c",
        "backend/stowage/measure/csrc/tables.c",
        "backend/stowage/measure/csrc/values.c",
    ),
}
"""Sources of the compiled search, and of the compiled loops of the readers."""
SNAPSHOTS = "backend/stowage/catalog/snapshots"
# Results must have the bits of the model: no a * b + c in one step, nothing taken to be associative. Without errno and
# traps, which nothing reads, roots and comparisons become vectors.
FLAGS = (
    *("-std=c11", "-O3", "-fPIC", "-shared", "-Wall", "-Wextra", "-Werror"),
    *("-ffp-contract=off", "-fno-fast-math", "-fno-math-errno", "-fno-trapping-math"),
)


class Travelling(BuildHookInterface[Any]):
    """Adds what lives outside the import package, and the compiled libraries."""

    def initialize(self, version: str, build_data: dict[str, Any]) -> None:
        """Compile; include each of them in a standard wheel, and refuse to build one without it."""
        if self.target_name == "sdist":
            return
        compile_libraries(Path(self.root))
        # By its path: what it belongs to needs packages that a build does not have.
        runpy.run_path(str(Path(self.root) / "backend/stowage/catalog/parts.py"))["write_beside"](
            Path(self.root) / SNAPSHOTS
        )
        build_data["artifacts"] += [*LIBRARIES, f"{SNAPSHOTS}/*.parts"]
        build_data["pure_python"] = False
        # They are called by address, not imported: any Python of this platform can load them.
        build_data["tag"] = f"py3-none-{sysconfig.get_platform().replace('-', '_').replace('.', '_')}"
        if version != "standard":
            return
        for folder, target in TRAVELLING.items():
            if not (Path(self.root) / folder).exists():
                raise FileNotFoundError(f"{folder} is missing: run `make setup` before building a wheel")
            build_data["force_include"][folder] = target


def compile_libraries(root: Path) -> None:
    """Compile the libraries with the C compiler that ``CC`` names, else with the first of cc, gcc and clang."""
    named = os.environ.get("CC")
    found = next((path for path in map(shutil.which, ("cc", "gcc", "clang")) if path), None)
    if named is None and found is None:
        raise FileNotFoundError("no C compiler: install one (apt-get install gcc libc6-dev), or name it in CC")
    compiler = shlex.split(named) if named else [str(found)]
    headers = sysconfig.get_path("include")
    if not (Path(headers) / "Python.h").exists():
        raise FileNotFoundError(f"no Python.h in {headers}: install Python's headers (apt-get install python3-dev)")
    # The functions of Python are found in the process that loads a library.
    flags = [*FLAGS, "-isystem", headers, *(("-undefined", "dynamic_lookup") if sys.platform == "darwin" else ())]
    for library, sources in LIBRARIES.items():
        made = root / f"{library}.{os.getpid()}"
        command = [*compiler, *flags, "-o", str(made), *(str(root / source) for source in sources), "-lm"]
        # Another name first: processes that have the old one loaded keep it whole.
        subprocess.run(command, check=True)  # noqa: S603 - the builder's own compiler
        made.replace(root / library)
