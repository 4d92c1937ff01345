"""Selection of the disks that may be measured: none in use, and none with data that the user did not give up."""

import os
import stat
from pathlib import Path
from typing import Any

import pytest

from stowage_worker.agent.disks import FILE_NAME, NoDiskError, at, find, free, in_use, is_blank, remove

GIB = 1 << 30


def block(above: Path, name: str, model: str = "", number: str = "259:1") -> Path:
    """Create a disk as /sys/block shows it."""
    place = above / name
    (place / "device").mkdir(parents=True)
    (place / "holders").mkdir()
    (place / "device" / "model").write_text(model + "                 \n")
    (place / "dev").write_text(number + "\n")
    (place / "size").write_text("2048\n")
    (place / "ro").write_text("0\n")
    return place


def test_a_free_disk_is_free(tmp_path: Path) -> None:
    place = block(tmp_path, "nvme1n1")
    assert in_use(place, ["36 1 254:0 / / rw - ext4 /dev/vda rw", "Filename Type Size Used Priority"]) is None


@pytest.mark.parametrize(
    "line", ["36 1 259:1 / /mnt rw - xfs /dev/nvme1n1 rw", "/dev/nvme1n1 partition 1024 0 -2"], ids=["mounted", "swap"]
)
def test_a_disk_in_use_is_left_alone(tmp_path: Path, line: str) -> None:
    assert in_use(block(tmp_path, "nvme1n1"), [line]) == "it is mounted, or swapped to"


@pytest.mark.parametrize(
    ("change", "words"),
    [
        (
            lambda place: ((place / "nvme1n1p1").mkdir(), (place / "nvme1n1p1" / "partition").write_text("1")),
            "partitions",
        ),
        (lambda place: (place / "holders" / "dm-0").mkdir(), "another device stands on it"),
        (lambda place: (place / "ro").write_text("1\n"), "cannot be written"),
        (lambda place: (place / "size").write_text("0\n"), "no size"),
    ],
)
def test_why_a_disk_is_left_alone_is_said(tmp_path: Path, change: Any, words: str) -> None:
    place = block(tmp_path, "nvme1n1")
    change(place)
    assert words in str(in_use(place, []))


def test_disks_of_another_kind_are_not_found(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("STOWAGE_AGENT_DISKS", raising=False)
    root = block(tmp_path, "nvme0n1", "Amazon Elastic Block Store")
    (root / "nvme0n1p1").mkdir()
    (root / "nvme0n1p1" / "partition").write_text("1")
    block(tmp_path, "loop0", "Amazon Elastic Block Store")
    block(tmp_path, "nvme2n1", "Amazon EC2 NVMe Instance Storage")
    said: list[dict[str, Any]] = []
    with pytest.raises(NoDiskError, match="no free disk of Amazon Elastic Block Store"):
        find("ebs", said.append, destroy=True, sys_block=tmp_path)
    assert [event["words"] for event in said] == ["nvme0n1 is left alone: it has partitions"]


def test_the_disk_of_this_machine_s_root_is_never_free() -> None:
    """On any machine, the disk of the root file system is mounted, has partitions or backs another device."""
    number = Path("/").stat().st_dev
    place = Path(f"/sys/dev/block/{os.major(number)}:{os.minor(number)}").resolve()
    if not place.exists():
        pytest.skip("the root of this machine is on no block device")
    disk = place.parent if (place / "partition").exists() else place
    assert in_use(disk) is not None
    try:
        found = free(lambda _: None, destroy=True)
    except NoDiskError:
        found = []
    assert disk.name not in [each.path.rsplit("/", 1)[-1] for each in found]


def test_disks_can_be_named(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("a", "b"):
        (tmp_path / name).write_bytes(bytes(1 << 20))
    monkeypatch.setenv("STOWAGE_AGENT_DISKS", f"{tmp_path}/a:{tmp_path}/b")
    found = find("instance-store", lambda _: None, destroy=False)
    assert [(disk.path, disk.size_bytes, disk.is_ours) for disk in found] == [
        (f"{tmp_path}/{name}", 1 << 20, False) for name in ("a", "b")
    ]


def test_in_a_folder_a_file_is_made_and_removed(tmp_path: Path) -> None:
    disk = at(str(tmp_path), destroy=False, size_bytes=3 << 20)
    made = tmp_path / FILE_NAME
    assert (disk.path, disk.size_bytes, disk.is_ours) == (str(made), 3 << 20, True)
    assert made.stat().st_size == 3 << 20
    assert stat.S_IMODE(made.stat().st_mode) == 0o600
    with pytest.raises(NoDiskError, match="is there already"):
        at(str(tmp_path), destroy=False, size_bytes=3 << 20)
    remove([disk])
    assert not made.exists()


def test_a_file_that_was_there_stays(tmp_path: Path) -> None:
    path = tmp_path / "mine"
    path.write_bytes(bytes(2 << 20))
    remove([at(str(path), destroy=False)])
    assert path.exists()


@pytest.mark.parametrize("name", ["missing", "small", "pipe"])
def test_what_cannot_be_measured_is_said(tmp_path: Path, name: str) -> None:
    (tmp_path / "small").write_bytes(b"x")
    (tmp_path / "pipe").symlink_to("/dev/null")
    with pytest.raises(NoDiskError, match=name):
        at(str(tmp_path / name), destroy=True)


@pytest.mark.parametrize("place", [0, 510, 0x10040, (4 << 20) - 512])
def test_a_mark_anywhere_it_may_stand_is_seen(tmp_path: Path, place: int) -> None:
    path = tmp_path / "device"
    path.write_bytes(bytes(4 << 20))
    assert is_blank(str(path), 4 << 20)
    with path.open("r+b") as file:
        file.seek(place)
        file.write(b"\x55")
    assert not is_blank(str(path), 4 << 20)
