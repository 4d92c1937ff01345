"""The agent packed into one file: a zip archive that Python can run. Equal sources give equal bytes."""

from __future__ import annotations

import hashlib
import io
import shlex
import zipfile
from pathlib import Path

_HERE = Path(__file__).parent
_DATE = (1980, 1, 1, 0, 0, 0)  # the earliest date in a zip archive
_MAIN = "from stowage_worker.agent.__main__ import main\n\nraise SystemExit(main())\n"
_PACKAGE = '"""The part of Stowage that runs on benchmarked machines."""\n'

# Reads the agent from standard input, verifies it, and runs it with the remaining input. Its folder is deleted last.
_STARTER = (
    "import hashlib,os,sys,tempfile\n"
    "n,h=int(sys.argv[1]),sys.argv[2]\n"
    "b=b''\n"
    "while len(b)<n:\n"
    " c=os.read(0,n-len(b))\n"
    " if not c: sys.exit('the agent did not arrive')\n"
    " b+=c\n"
    "if hashlib.sha256(b).hexdigest()!=h: sys.exit('the agent arrived damaged')\n"
    "d=tempfile.mkdtemp(prefix='stowage-agent-')\n"
    "p=os.path.join(d,'agent.pyz')\n"
    "open(p,'wb').write(b)\n"
    "os.environ['STOWAGE_AGENT_FOLDER']=d\n"
    "os.execv(sys.executable,[sys.executable,p]+sys.argv[3:])\n"
)


def bundle() -> bytes:
    """Return the packed agent.

    Returns
    -------
    bytes
        File to run as ``python3 agent.pyz``; the same bytes for the same sources.
    """
    held = {"__main__.py": _MAIN, "stowage_worker/__init__.py": _PACKAGE}
    for path in _HERE.glob("*.py"):
        if path.name != "bundle.py":
            held[f"stowage_worker/agent/{path.name}"] = path.read_text(encoding="utf-8")
    packed = io.BytesIO()
    with zipfile.ZipFile(packed, "w", zipfile.ZIP_DEFLATED, compresslevel=9) as archive:
        for name in sorted(held):
            entry = zipfile.ZipInfo(name, _DATE)
            entry.compress_type = zipfile.ZIP_DEFLATED
            entry.external_attr = 0o644 << 16
            entry.create_system = 3
            archive.writestr(entry, held[name])
    return packed.getvalue()


def starter(arguments: list[str], content: bytes | None = None, python: str = "python3") -> str:
    """Return a shell command that reads the agent from standard input and runs it.

    The caller first writes the content of `bundle` to the command's standard input; the agent reads all further input.
    So ``ssh HOST "<the command>"`` runs the agent on another host, without copying a file to the host.

    Parameters
    ----------
    arguments : list of str
        Arguments of the agent: ``["net-node", "--orders", "-"]``.
    content : bytes or None
        Content that the caller will write; None for the result of `bundle`.
    python : str
        Interpreter on the other host.
    """
    content = bundle() if content is None else content
    digest = hashlib.sha256(content).hexdigest()
    return shlex.join([python, "-c", _STARTER, str(len(content)), digest, *arguments])
