"""Published measurements in the project's own templates.

They are parsed by the same readers as user uploads. Each file states its source. Each figure is printed in that source;
none is derived.
"""

from datetime import date
from importlib.resources import files
from io import BytesIO
from typing import BinaryIO

from stowage.frozen import frozen


@frozen
class Seed:
    """One file of published measurements."""

    name: str
    """Name of the file."""
    source: str
    """Source of the figures."""
    as_of: date
    """Date of the figures. For the paper, it is the date of its prices. For other sources, it is the date of the
    measurement or, if that is unknown, of the publication. The file states this date as the time of the measurement, or
    as the setting `as_of`."""

    def open(self) -> BinaryIO:
        """Open the file for reading bytes."""
        return BytesIO((files(__package__) / self.name).read_bytes())


SEEDS: tuple[Seed, ...] = (
    Seed("diskbench-2015.json", "SoCC 2015 paper, sections 4.2 to 5.3 (DiskBench)", date(2014, 10, 1)),
    Seed("netbench-2015.json", "SoCC 2015 paper, section 5.1 (NetBench)", date(2014, 10, 1)),
    Seed("st1-2023.csv", "AWS Storage Blog on st1 and HDFS, table (TestDFSIO)", date(2023, 2, 15)),
    Seed("st1-peaks-2023.csv", "AWS Storage Blog on st1 and HDFS, graphs (CloudWatch)", date(2023, 2, 15)),
    Seed("fio-2021.csv", "cloudonaut, EBS volume types compared, 2021-01-19 (fio)", date(2021, 1, 11)),
    Seed(
        "redis-2014.csv", "Redis Labs on PIOPS, undated, of about 2014 (memtier_benchmark, iostat)", date(2014, 10, 1)
    ),
)
