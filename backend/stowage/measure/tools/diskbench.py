"""Reader of DiskBench, version 1, which measures the disk throughput of a node (SoCC 2015 paper, section 4.2).

Its output is a document of `stowage.measure.tools.own_bench` with ``stowage`` set to ``diskbench``.

Settings: ``mode`` (``read``, ``write`` or ``read-write``), ``disks`` (number of disks), ``block_bytes``, ``direct`` and
the other options of the run.

Result in mode ``read-write``: ``storage_mb_per_s``. Half of the disks are read while the other half are written. The
figure is the rate of the slower half. Result in the other modes: ``read_mb_per_s`` or ``write_mb_per_s``, summed over
all disks. ``storage_mb_per_s.min`` is the rate of the slowest node if several nodes were measured.

Tested with: the figures of the paper in this format (`stowage.measure.seeds`), and output of `stowage_worker.agent`.
"""

from stowage.measure.tools.own_bench import Form

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

recognises, read = FORM.recognises, FORM.read
