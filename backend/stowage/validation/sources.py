"""Published figures: the package's files with cases, figures and instance types, and their parser."""

from collections.abc import Mapping
from datetime import date
from functools import lru_cache
from importlib import resources
from typing import Any

import yaml

from stowage.frozen import frozen
from stowage.model.figure import Figure
from stowage.model.hardware.catalog import instance_type
from stowage.model.hardware.instance import InstanceType
from stowage.validation.case import Contradiction, Published

FILES = ("paper", "records", "ebs-2014", "st1", "ssd", "redis")
"""Files, in the order in which their cases are shown."""


@frozen
class Sources:
    """All published figures that the validation uses.

    Each number is stored only once.
    """

    cases: tuple[Published, ...]
    figures: Mapping[str, Figure]
    """Published figures that are inputs of predictions, by name. Further inputs are in a catalog and its profiles."""
    instance_types: Mapping[str, InstanceType]
    """Instance types that are not in the paper's catalog, by name."""
    experiments: Mapping[str, str]
    """Names of the experiments, by id."""
    contradictions: tuple[Contradiction, ...]

    def value(self, name: str) -> float:
        """Return the value of the figure with this name."""
        return self.figures[name].value

    def actual(self, name: str) -> float:
        """Return the published value of the case with this id.

        Other cases may use it as an input.

        Raises
        ------
        ValueError
            The source has no number for the case.
        """
        found = next(case.actual for case in self.cases if case.id == name)
        if found is None:
            raise ValueError(f"{name} has no number")
        return found


@lru_cache
def packaged() -> Sources:
    """Load the published figures that the package contains."""
    folder = resources.files("stowage.validation") / "published"
    return read([(folder / f"{name}.yaml").read_bytes() for name in FILES])


def read(contents: list[bytes]) -> Sources:
    """Parse the contents of files with published figures.

    Raises
    ------
    KeyError
        A case or figure refers to a source or an experiment that is not in its file, or a field is missing.
    ValueError
        Two cases, figures or experiments have the same name.
    """
    documents = [yaml.safe_load(content) for content in contents]
    experiments = [pair for document in documents for pair in document["experiments"].items()]
    rows = {row["id"]: row for document in documents for row in document["cases"]}
    cases = [
        _case(row, document["sources"], dict(experiments), rows) for document in documents for row in document["cases"]
    ]
    figures = [
        _figure(name, cell, document["sources"])
        for document in documents
        for name, cell in document.get("figures", {}).items()
    ]
    instances = [
        _instance_type(name, row, document["sources"])
        for document in documents
        for name, row in document.get("instance_types", {}).items()
    ]
    _refuse_twice([case.id for case in cases])
    _refuse_twice([figure.quantity for figure in figures])
    _refuse_twice([name for name, _ in experiments])
    return Sources(
        cases=tuple(cases),
        figures={figure.quantity: figure for figure in figures},
        instance_types={instance.name: instance for instance in instances},
        experiments=dict(experiments),
        contradictions=tuple(
            Contradiction(row["title"], row["text"], row["source"], tuple(row.get("cases", ())))
            for document in documents
            for row in document.get("contradictions", ())
        ),
    )


def printed(text: str) -> tuple[float, float]:
    """Parse a printed number.

    The result has the number and its rounding error, which is half a unit of the last digit.

    Examples
    --------
    >>> printed("9,375"), printed("6.76")
    ((9375.0, 0.5), (6.76, 0.005))
    """
    _, point, decimals = text.partition(".")
    return float(text.replace(",", "")), 0.5 * 10.0 ** -(len(decimals) if point else 0)


def _case(
    row: Mapping[str, Any], sources: Mapping[str, Any], experiments: Mapping[str, str], rows: Mapping[str, Any]
) -> Published:
    source = sources[row["source"]]
    if row["experiment"] not in experiments:
        raise KeyError(row["experiment"])
    # A case may refer to the number of another case; a list has separately published parts, such as reads and writes.
    parts = (rows[row["actual_of"]] if "actual_of" in row else row).get("actual", [])
    numbers = [printed(text) for text in (parts if isinstance(parts, list) else [parts])]
    return Published(
        id=row["id"],
        experiment=row["experiment"],
        source=f"{source['text']}, {row['place']}",
        source_date=source["as_of"],
        group=row["group"],
        quantity=row["quantity"],
        unit=row["unit"],
        kind=row["kind"],
        relation=row.get("relation", "equal"),
        actual=sum(value for value, _ in numbers) if numbers else None,
        half_unit=sum(half_unit for _, half_unit in numbers),
        assumptions=tuple(row.get("assumptions", ())),
        reason=row.get("reason"),
    )


def _figure(quantity: str, cell: Mapping[str, Any], sources: Mapping[str, Any]) -> Figure:
    source = sources[cell["source"]]
    text = f"{source['text']}, {cell['place']}" if "place" in cell else source["text"]
    as_of: date = source["as_of"]
    return Figure(quantity, float(cell["value"]), cell["unit"], text, source["kind"], as_of)


def _instance_type(name: str, row: Mapping[str, Any], sources: Mapping[str, Any]) -> InstanceType:
    figures = {quantity: _figure(quantity, cell, sources) for quantity, cell in row.items()}
    return instance_type(name, figures, disk_media=None, placement_group=True, gaps={})


def _refuse_twice(names: list[str]) -> None:
    twice = sorted({name for name in names if names.count(name) > 1})
    if twice:
        raise ValueError(f"stands twice: {', '.join(twice)}")
