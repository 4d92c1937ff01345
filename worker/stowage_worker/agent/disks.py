"""Selection of the disks to measure: unused disks of this machine."""

from __future__ import annotations

import contextlib
import os
import re
import stat
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path

from stowage_worker.agent.events import Say, log
from stowage_worker.agent.imds import Metadata

_MODELS = {"instance-store": "Amazon EC2 NVMe Instance Storage", "ebs": "Amazon Elastic Block Store"}
_NAME = re.compile(r"(nvme[0-9]+n[0-9]+|xvd[a-z]{1,2}|sd[a-z]{1,2}|vd[a-z])\Z")
_LOOKED_AT = 1 << 20
FILE_NAME = "stowage-diskbench.data"


@dataclass(frozen=True)
class Disk:
    """A device or file to measure."""

    path: str
    size_bytes: int
    """Usable size [bytes]."""
    is_device: bool
    is_ours: bool = False
    """Whether the agent created this file for the measurement and must remove it afterwards."""


class NoDiskError(Exception):
    """There is no disk to measure; the message lists the disks found."""


def find(what: str, say: Say, *, destroy: bool, sys_block: Path = Path("/sys/block")) -> list[Disk]:
    """Return the disks of this instance that a run is to measure.

    Parameters
    ----------
    what : str
        ``instance-store`` or ``ebs``. The environment variable ``STOWAGE_AGENT_DISKS`` (paths separated by colons)
        overrides it.
    say : callable
    destroy : bool
        Whether the data on the disks may be overwritten.
    sys_block : Path

    Raises
    ------
    NoDiskError
    """
    named = os.environ.get("STOWAGE_AGENT_DISKS")
    if named:
        return [at(path, destroy=destroy) for path in named.split(":") if path]
    mapped = _mapped(what)
    found = []
    for place in sorted(sys_block.iterdir(), key=lambda place: (len(place.name), place.name)):
        model = _text(place / "device" / "model")
        if _NAME.match(place.name) is None or (_MODELS[what] not in model and place.name not in mapped):
            continue
        reason = in_use(place)
        if reason is None:
            found.append(at(f"/dev/{place.name}", destroy=destroy))
        else:
            log(say, f"{place.name} is left alone: {reason}")
    if not found:
        raise NoDiskError(f"this machine has no free disk of {_MODELS[what]}")
    return found


def free(say: Say, *, destroy: bool, sys_block: Path = Path("/sys/block")) -> list[Disk]:
    """Return all unused disks of this machine; if `destroy` is False, only disks without data.

    Raises
    ------
    NoDiskError
    """
    found = []
    for place in sorted(sys_block.iterdir(), key=lambda place: (len(place.name), place.name)):
        if _NAME.match(place.name) is None:
            continue
        reason = in_use(place)
        try:
            if reason is None:
                found.append(at(f"/dev/{place.name}", destroy=destroy))
        except NoDiskError as refused:
            reason = str(refused)
        if reason is not None:
            log(say, f"{place.name} is left alone: {reason}")
    if not found:
        raise NoDiskError("no disk is free; name a folder, a file or a device by --path")
    return found


def at(path: str, *, destroy: bool, size_bytes: int | None = None, memory_bytes: int = 0) -> Disk:
    """Return the disk at a path: a device, a file, or a folder in which a file is created.

    Parameters
    ----------
    path : str
    destroy : bool
        Whether the data on a device may be overwritten. A given file is always overwritten.
    size_bytes : int or None
        Size of the file in a folder; None for twice the memory, at most half of the free space.
    memory_bytes : int

    Raises
    ------
    NoDiskError
        The disk does not exist, is mounted, or holds data.
    """
    try:
        mode = Path(path).stat().st_mode
        if stat.S_ISDIR(mode):
            return _in_folder(path, size_bytes, memory_bytes)
        with Path(path).open("rb") as file:
            size = file.seek(0, os.SEEK_END)
    except OSError as wrong:
        raise NoDiskError(f"{path}: {wrong.strerror}") from None
    if stat.S_ISREG(mode):
        if size < 1 << 20:
            raise NoDiskError(f"{path} has {size} bytes; a file to be measured has 1 MiB or more")
        return Disk(path, size, is_device=False)
    if not stat.S_ISBLK(mode):
        raise NoDiskError(f"{path} is no device, file or folder")
    place = Path("/sys/class/block") / Path(path).resolve().name
    reason = in_use(place)
    if reason is not None:
        raise NoDiskError(f"{path}: {reason}")
    if not destroy and not is_blank(path, size):
        raise NoDiskError(f"{path} holds something, which --destroy would overwrite")
    return Disk(path, size, is_device=True)


def in_use(place: Path, mounts: Iterable[str] | None = None) -> str | None:
    """Return the reason why a disk must not be measured, such as a mounted file system; None if it is unused.

    Parameters
    ----------
    place : Path
        Folder of the disk below ``/sys``.
    mounts : iterable of str, optional
        Lines as in ``/proc/self/mountinfo`` and ``/proc/swaps``; by default the lines of this machine's files.
    """
    number = _text(place / "dev")
    lines = list(mounts) if mounts is not None else _lines("/proc/self/mountinfo", "/proc/swaps")
    for line in lines:
        words = line.split()
        if (len(words) > 2 and words[2] == number) or (words and words[0] == f"/dev/{place.name}"):
            return "it is mounted, or swapped to"
    if any((part / "partition").exists() for part in _folders(place)):
        return "it has partitions"
    if _folders(place / "holders"):
        return "another device stands on it"
    if _text(place / "ro") == "1":
        return "it cannot be written"
    if _text(place / "size") == "0":
        return "it has no size"
    return None


def is_blank(path: str, size_bytes: int) -> bool:
    """Return whether a device has only zero bytes where file systems and partition tables put signatures."""
    with Path(path).open("rb") as device:
        first = device.read(_LOOKED_AT)
        device.seek(max(0, size_bytes - _LOOKED_AT))
        last = device.read(_LOOKED_AT)
    return not any(first) and not any(last)


def remove(disks: Iterable[Disk]) -> None:
    """Remove the files that were created for the measurement."""
    for disk in disks:
        if disk.is_ours:
            with contextlib.suppress(OSError):
                Path(disk.path).unlink()


def _in_folder(path: str, size_bytes: int | None, memory_bytes: int) -> Disk:
    room = os.statvfs(path)
    free_bytes = room.f_bavail * room.f_frsize
    size = min(size_bytes or max(2 * memory_bytes, 1 << 30), free_bytes // 2) // (1 << 20) * (1 << 20)
    if size < 1 << 20:
        raise NoDiskError(f"{path} has {free_bytes} bytes free, too few to measure with")
    place = Path(path) / FILE_NAME
    try:
        # A new file of our own: never an existing one.
        handle = os.open(place, os.O_RDWR | os.O_CREAT | os.O_EXCL, 0o600)
    except FileExistsError:
        raise NoDiskError(f"{place} is there already: another measurement runs, or one was killed; remove it") from None
    try:
        os.posix_fallocate(handle, 0, size)
    except OSError as wrong:
        place.unlink()
        raise NoDiskError(f"{place}: {wrong.strerror}") from None
    finally:
        os.close(handle)
    return Disk(str(place), size, is_device=False, is_ours=True)


def _mapped(what: str) -> set[str]:
    """Return possible disk names from EC2's block device mapping.

    The kernel may use either xvdb or sdb as the name of the device that EC2 calls sdb. On machines with NVMe disks,
    the set is empty.
    """
    if any(place.name.startswith("nvme") for place in Path("/sys/block").iterdir()):
        return set()
    metadata, found = Metadata(), set()
    prefix = "ephemeral" if what == "instance-store" else "ebs"
    for name in (metadata.read("block-device-mapping/") or "").split():
        device = metadata.read(f"block-device-mapping/{name}") if name.startswith(prefix) else None
        if device:
            letter = device.rsplit("/", 1)[-1].replace("xvd", "").replace("sd", "")
            found |= {f"xvd{letter}", f"sd{letter}"}
    return found


def _folders(place: Path) -> list[Path]:
    try:
        return [each for each in place.iterdir() if each.is_dir()]
    except OSError:
        return []


def _text(place: Path) -> str:
    try:
        return place.read_text(encoding="utf-8", errors="replace").strip()
    except OSError:
        return ""


def _lines(*paths: str) -> list[str]:
    return [line for path in paths for line in _text(Path(path)).splitlines()]
