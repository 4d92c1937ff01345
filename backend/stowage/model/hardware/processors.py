"""Processors of instance families, and the relative speeds of their vCPUs.

The speeds are used to convert CPU time that was measured on one processor to another processor.
"""

from collections.abc import Iterator, Mapping
from datetime import date

from stowage.frozen import frozen
from stowage.model.figure import Figure, Number

REFERENCE = "m5"
"""Family whose vCPU has a speed of 1."""
_SOURCE = (
    "Geekbench 6 on 16 vCPUs, geometric mean of Clang and Asset Compression beside m5.4xlarge, median of the families "
    "that were measured; Spare Cores (github.com/SpareCores/sc-inspector-data, 2024 to 2026; validation/processors.csv)"
)
_AS_OF = date(2026, 11, 26)


@frozen
class Processor:
    """One processor that AWS offers."""

    name: str
    speed: float
    """Speed of a vCPU, relative to a vCPU of the processor `REFERENCE` [1]. A vCPU is a thread on processors with two
    threads per core, and a core on others."""
    named: str
    """Families of instance types with this processor, according to AWS, separated by spaces."""

    @property
    def families(self) -> tuple[str, ...]:
        """Return the families of instance types with this processor."""
        return tuple(self.named.split())


PROCESSORS: tuple[Processor, ...] = (
    Processor("Intel Xeon E5-2670 v2 and E5-2680 v2 (Ivy Bridge)", 0.97, "c3 i2 r3 m3"),
    Processor("Intel Xeon E5-2666 v3 (Haswell)", 1.13, "c4"),
    Processor("Intel Xeon E5-2676 v3 (Haswell)", 0.78, "d2"),
    Processor("Intel Xeon E7-8880 v3 (Haswell)", 0.76, "x1 x1e"),
    Processor("Intel Xeon E5-2686 v4 (Broadwell)", 0.83, "m4 r4 i3 h1 t2"),
    Processor(
        "Intel Xeon Platinum 8175M and 8259CL (Skylake, Cascade Lake)",
        1.0,
        "m5 m5d m5n m5dn r5 r5d r5n r5dn r5b i3en d3 d3en t3 g4dn",
    ),
    Processor("Intel Xeon Platinum 8124M and 8275CL (Skylake, Cascade Lake)", 1.13, "c5 c5d c5n"),
    Processor(
        "Intel Xeon Platinum 8375C (Ice Lake)",
        1.35,
        "m6i m6id m6in m6idn c6i c6id c6in r6i r6id r6in r6idn i4i x2idn x2iedn",
    ),
    Processor("Intel Xeon Platinum 8488C (Sapphire Rapids)", 1.61, "m7i c7i r7i m7i-flex c7i-flex"),
    Processor("Intel Xeon Gold 6455B (Sapphire Rapids)", 1.77, "r7iz"),
    Processor("Intel Xeon Platinum 8559C (Emerald Rapids)", 1.8, "i7i i7ie"),
    Processor("Intel Xeon 6975P-C (Granite Rapids)", 1.89, "m8i m8id m8i-flex c8i c8id c8i-flex r8i r8id r8i-flex x8i"),
    Processor("AMD EPYC 7571 (Naples)", 0.76, "m5a m5ad r5a r5ad t3a"),
    Processor("AMD EPYC 7R32 (Rome)", 1.19, "c5a c5ad g5"),
    Processor("AMD EPYC 7R13 (Milan)", 1.42, "m6a c6a r6a g6"),
    Processor("AMD EPYC 9R14 (Genoa)", 2.42, "m7a c7a r7a"),
    Processor("AMD EPYC 9R45 (Turin)", 3.21, "m8a c8a r8a"),
    Processor("AWS Graviton (Cortex-A72)", 0.62, "a1"),
    Processor("AWS Graviton2 (Neoverse N1)", 1.29, "m6g m6gd c6g c6gd c6gn r6g r6gd t4g i4g im4gn is4gen x2gd g5g"),
    Processor("AWS Graviton3 (Neoverse V1)", 1.85, "m7g m7gd c7g c7gd c7gn r7g r7gd hpc7g"),
    Processor(
        "AWS Graviton4 (Neoverse V2)", 2.45, "m8g m8gd c8g c8gd c8gn m8gn r8g r8gd r8gn m8gb c8gb r8gb i8g i8ge x8g"
    ),
    Processor("AWS Graviton5 (Neoverse V3)", 3.03, "m9g m9gd c9g c9gd r9g r9gd"),
)

PROCESSOR_DOUBT = Number("processor_doubt", 0.2, "1").estimated(
    "Assumed: 0.13 is the standard deviation of ln(speed beside m5) between six tests of Geekbench 6, pooled over "
    "families (validation/processors.csv); a framework's program, in Java, is another one still",
    _AS_OF,
)
"""Uncertainty of the speed of a program on another processor."""


def vcpu_speed(instance: str) -> Figure | None:
    """Return the relative speed of an instance type's vCPU [1].

    The speed is relative to a vCPU of the processor `REFERENCE`. The result is None if the speed is unknown.

    Examples
    --------
    >>> vcpu_speed("m5.large").value, vcpu_speed("m8g.large").value > 2.0, vcpu_speed("node")
    (1.0, True, None)
    """
    return _SPEEDS.get(instance.partition(".")[0])


def _speeds() -> Iterator[tuple[str, Figure]]:
    for processor in PROCESSORS:
        source = f"{processor.name}: {_SOURCE}"
        for family in processor.families:
            yield family, Figure(f"{family}.vcpu_speed", processor.speed, "1", source, "measured", _AS_OF)


_SPEEDS: Mapping[str, Figure] = dict(_speeds())
