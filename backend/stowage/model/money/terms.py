"""Terms of a cost, each declared once: name, labels and formula.

The model evaluates the formulas (`cost.run_cost`), reports and spreadsheets print them with the values of their inputs,
and `scripts/cost_terms.py` generates the search's C from them (`optimizer/csrc/cost_terms.h`).
"""

from collections.abc import Callable, Mapping
from dataclasses import field
from typing import Final

from stowage.frozen import frozen
from stowage.model.formula import compiled
from stowage.model.units import Quantity

Inputs = Mapping[str, Quantity]


@frozen
class Line:
    """A formula with the unit of its value."""

    formula: str
    """In the language of `stowage.model.formula`."""
    unit: str = "USD"
    _value: Callable[[Inputs], Quantity] = field(init=False, repr=False, compare=False)

    def __post_init__(self) -> None:
        """Compile the formula."""
        object.__setattr__(self, "_value", compiled(self.formula))

    def value(self, inputs: Inputs) -> Quantity:
        """Return the value of the formula, in ``unit``."""
        return self._value(inputs)


@frozen
class Term:
    """One part of the cost of a run, or of a month of an always-on cluster."""

    part: str
    """Field of `cost.Cost`."""
    label: str
    """Name of the part, for people."""
    line: Line | None = None
    """Formula of the part; None if the part is not computed but is one of `cost.Charges`."""
    month_label: str = ""
    """Name of the part in the cost of an always-on cluster, if that name differs from `label`; else empty."""


DERIVED: Final[Mapping[str, Line]] = {
    "billed_s": Line("max(work_s + launch_s, minimum_billed_s)", "s"),
    "last_billed_s": Line("max(work_s + rework_s + launch_s, minimum_billed_s)", "s"),
    "usd_per_s": Line(
        "nodes * (usd_per_hour + ebs_link_usd_per_hour + emr_usd_per_hour) / 3600"
        " + head_nodes * (head_usd_per_hour + head_emr_usd_per_hour) / 3600"
        " + nodes * volumes_usd_per_month / 2628000",
        "USD/s",
    ),
}
"""Inputs of the parts that follow from the other inputs: billed time of a run, without the time that interruptions add
and with it, and the price of a second of the whole cluster. A month has 2,628,000 s.

Of the other inputs, `cost.Prices` describes the prices. ``usd_per_hour`` is the price of an hour that is used;
``work_s`` is the job's own time, ``rework_s`` the time that interruptions add to it [s]."""

TERMS: Final = (
    Term("instances", "Instances while the job runs", Line("nodes * usd_per_hour * work_s / 3600"), "Worker nodes"),
    Term("launch", "Launch, set-up, minimum", Line("nodes * usd_per_hour * (billed_s - work_s) / 3600")),
    Term(
        "idle_commitment",
        "Hours of a commitment that no run needs",
        Line("nodes * usd_per_hour * max(committed_s - last_billed_s, 0) / 3600"),
    ),
    Term("screening", "Spare nodes that are measured and given back"),
    Term("ebs_link", "EBS link", Line("nodes * ebs_link_usd_per_hour * billed_s / 3600")),
    Term("ebs_volumes", "EBS volumes", Line("nodes * (volumes_usd_per_month / 2628000) * billed_s")),
    Term("volume_io", "Volume I/Os"),
    Term("object_store", "Object store", month_label="Object store: requests and storage"),
    Term("head_nodes", "Head node", Line("head_nodes * head_usd_per_hour * billed_s / 3600")),
    Term(
        "emr_fee", "EMR fee", Line("(nodes * emr_usd_per_hour + head_nodes * head_emr_usd_per_hour) * billed_s / 3600")
    ),
    Term("traffic", "Traffic between zones"),
    Term("rework", "Rework after interruptions", Line("usd_per_s * (last_billed_s - billed_s)")),
)
"""Parts of a cost, in the order in which they are shown and added up."""

TRAFFIC: Final = Line("sent_mb * share_between_zones / 1073.741824 * (2 * usd_per_gb_between_zones)")
"""Traffic between availability zones: what nodes send to each other [MB], the share that crosses zones [1], and the
price in each direction [USD/GB]. AWS bills 1,073.741824 MB as a GB."""

VOLUME_IO: Final = Line("operations / 1000000 * usd_per_million_io")
"""I/Os of all volumes that a run makes [1], at the price of a million [USD]."""

SCREENING: Final = Line("(spares * (launch_s + screening_s) + nodes * screening_s) * usd_per_hour / 3600")
"""Spare nodes, which are launched, measured for ``screening_s`` and released, while the others are measured too."""
