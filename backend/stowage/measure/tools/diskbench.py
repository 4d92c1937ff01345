"""DiskBench, version 1: disk throughput of a node, after the SoCC 2015 paper, section 4.2.

A document of `stowage.measure.tools.own_bench` whose ``stowage`` is ``diskbench``. Its settings are ``mode`` (``read``,
``write`` or ``read-write``), ``disks`` (how many took part), ``block_bytes``, ``direct`` and what else it was told.
Its result holds in mode ``read-write`` ``storage_mb_per_s``: half of the disks read while the other half write, each
half at this rate, the lower of the two; in the others ``read_mb_per_s`` or ``write_mb_per_s`` of all disks together.
``storage_mb_per_s.min`` is the slowest node's, where several were measured.

Seen: the figures of the paper in this form (`stowage.measure.seeds`), and what `stowage_worker.agent` writes.
"""

from collections.abc import Iterator
from typing import BinaryIO

from stowage.measure.files.head import Head
from stowage.measure.reading import Reading, Remark
from stowage.measure.tools.own_bench import Form, is_form, read_form

FORM = Form(
    "diskbench",
    headline=("storage_mb_per_s", "storage_mb_per_s.min", "read_mb_per_s", "write_mb_per_s"),
    metrics=frozenset(
        (
            "storage_mb_per_s",
            "read_mb_per_s",
            "write_mb_per_s",
            "read_iops",
            "write_iops",
            "read_latency_us",
            "write_latency_us",
            "read_mb",
            "write_mb",
        )
    ),
)


def recognises(head: Head) -> bool:
    """Return whether a file is DiskBench's."""
    return is_form(head, FORM)


def read(stream: BinaryIO) -> Iterator[Reading | Remark]:
    """Read every document of a file."""
    return read_form(stream, FORM)
