"""fio job files and the script that assigns disks to their roles, checked by fio and by shellcheck."""

from pathlib import Path

import pytest

from deployed import SHAPES, shape, texts
from documents_checked import fio_reads, shell_faults
from soaking import everyday
from stowage.documents.deploy.boot import MOST_BYTES, user_data

IN_SHORT = ("paper", "nvme divided", "emr on spot")


@pytest.mark.parametrize("name", everyday(IN_SHORT, SHAPES, "tools"))
def test_fio_reads_its_job_files(name: str, tmp_path: Path) -> None:
    files = [text for each, text in texts(name).items() if each.startswith("fio")]
    assert files
    assert [fio_reads(text, tmp_path) for text in files] == [""] * len(files)


@pytest.mark.parametrize("names", everyday((IN_SHORT,), (IN_SHORT, tuple(SHAPES)), "tools"), ids=len)
def test_shellcheck_finds_nothing_in_what_nodes_run(names: tuple[str, ...], tmp_path: Path) -> None:
    scripts = {name.replace(" ", "-"): user_data(shape(name)) for name in names}
    assert shell_faults(scripts, tmp_path) == ""
    assert max(len(text.encode()) for text in scripts.values()) < MOST_BYTES


def test_each_disk_is_checked_with_what_is_expected_of_all() -> None:
    text = texts("paper")["fio-input-output"]
    assert "filename=/data/1/stowage-check:/data/2/stowage-check:/data/3/stowage-check:/data/4/stowage-check\n" in text
    # DiskBench: 8 disks, half of them read at 1,738 MB/s while the others write at that rate.
    assert "# expected: reading in order: 1,740 MB/s" in text
    assert "paper, Table 2, DiskBench mean" in text


def test_volumes_are_expected_to_reach_their_limit() -> None:
    # 3 x 500 MiB/s, which the EBS link of the type carries only in bursts.
    text = texts("emr on spot")["fio-input-output"]
    assert "# expected: writing in order: " in text
    assert "# expected: reading at random: 18,000 IOPS" in text
    assert "EBS user guide" in text


def test_the_disks_of_a_node_are_divided_as_predicted() -> None:
    script = user_data(shape("nvme divided"))
    assert "local_data=3 " in script
    assert "local_scratch=1 " in script
    assert "scratch_mounts=(/scratch/1)\n" in script
