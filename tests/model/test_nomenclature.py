"""`docs/nomenclature.md` names every quantity of the model, and no other.

The test walks the code instead of a list: a field that is added, removed or renamed, and a figure whose value changes,
fail here until the page is updated.
"""

import ast
import dataclasses
import importlib
import importlib.util
import inspect
import pkgutil
import re
import typing
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from types import ModuleType
from typing import Any

import numpy as np
import pytest

import stowage.model
from stowage.model.figure import Figure, Kind

PAGE = (Path(__file__).parents[2] / "docs" / "nomenclature.md").read_text()
MODULES = {
    info.name.rpartition(".")[2]: importlib.import_module(info.name)
    for info in pkgutil.walk_packages(stowage.model.__path__, "stowage.model.")
    if not info.ispkg
}
FIELDS_HEAD = ("name", "of", "unit", "range", "what it is")
CONSTANTS_HEAD = ("constant", "quantity", "value", "unit", "kind", "source in short")


# Quantities in the code


@dataclass(frozen=True, slots=True)
class Constant:
    """A module's constant: a figure, or a plain number."""

    quantity: str
    value: float
    unit: str | None
    kind: str

    @classmethod
    def of(cls, value: "Figure | float") -> "Constant":
        if isinstance(value, Figure):
            return cls(value.quantity, value.value, value.unit, value.kind)
        return cls("", float(value), None, "")


@cache
def hints(owner: Any) -> Mapping[str, Any]:
    return typing.get_type_hints(owner)


def is_record(value: object) -> bool:
    """Return whether this is a dataclass or a named tuple."""
    return inspect.isclass(value) and (dataclasses.is_dataclass(value) or hasattr(value, "_fields"))


def fields_of(record: type) -> dict[str, Any]:
    """Return the public fields of a record with their types."""
    if dataclasses.is_dataclass(record):
        names: Iterable[str] = (field.name for field in dataclasses.fields(record))
    else:
        names = getattr(record, "_fields", ())
    return {name: hints(record)[name] for name in names if not name.startswith("_")}


def properties_of(record: type) -> dict[str, Any]:
    found = ((name, value.fget) for name, value in vars(record).items() if isinstance(value, property))
    return {name: hints(getter)["return"] for name, getter in found if getter and not name.startswith("_")}


@cache
def holds_a_number(kind: Any) -> bool:
    """Return whether a type is a number, a figure, a collection of them, or a record that holds only these."""
    if kind in {float, int, Figure} or typing.get_origin(kind) is np.ndarray:
        return True
    if typing.get_origin(kind) is typing.Literal:
        return False
    if is_record(kind):
        of_fields = fields_of(kind).values()
        return bool(of_fields) and all(holds_a_number(one) for one in of_fields)
    return any(holds_a_number(part) for part in typing.get_args(kind) if part is not Ellipsis)


def records_of(module: ModuleType) -> dict[str, type]:
    return {
        name: value
        for name, value in vars(module).items()
        if is_record(value) and value.__module__ == module.__name__ and not name.startswith("_")
    }


@cache
def parsed(module: ModuleType) -> ast.Module:
    return ast.parse(inspect.getsource(module))


def names_bound_in(module: ModuleType) -> Iterator[str]:
    """List the names that a module defines itself: imported names belong to other modules."""
    for node in parsed(module).body:
        targets = node.targets if isinstance(node, ast.Assign) else [getattr(node, "target", None)]
        yield from (target.id for target in targets if isinstance(target, ast.Name) and not target.id.startswith("_"))


def constants_within(name: str, value: object) -> Iterator[tuple[str, Constant]]:
    """Yield a number or figure by its name; for a record or tuple, every figure in it."""
    if isinstance(value, Figure) or (isinstance(value, int | float) and not isinstance(value, bool)):
        yield name, Constant.of(value)
    elif is_record(type(value)):
        parts = ((f"{name}.{part}", getattr(value, part)) for part in fields_of(type(value)))
        yield from (found for path, part in parts for found in figures_within(path, part))


def figures_within(name: str, value: object) -> Iterator[tuple[str, Constant]]:
    if isinstance(value, Figure):
        yield name, Constant.of(value)
    elif isinstance(value, tuple):
        yield from (found for index, part in enumerate(value) for found in figures_within(f"{name}.{index}", part))


def quantities(module: ModuleType) -> set[tuple[str, str]]:
    """List (record, name) of everything in a module that holds a number."""
    return {
        (record, name)
        for record, kind in records_of(module).items()
        for name, held in (fields_of(kind) | properties_of(kind)).items()
        if holds_a_number(held)
    }


def constants(module: ModuleType) -> dict[str, Constant]:
    return {
        path: constant
        for name in names_bound_in(module)
        for path, constant in constants_within(name, getattr(module, name))
    }


def given_names() -> set[str]:
    """List the quantities that `given` creates, with `*` for variable parts."""
    calls = (
        node
        for module in MODULES.values()
        for node in ast.walk(parsed(module))
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id == "given"
    )
    return {written(call.args[0]) for call in calls}


def written(text: ast.expr) -> str:
    parts = text.values if isinstance(text, ast.JoinedStr) else [text]
    return "".join(str(part.value) if isinstance(part, ast.Constant) else "*" for part in parts)


# Quantities on the page


def sections(text: str, mark: str) -> dict[str, str]:
    """Split a text at headings of one level."""
    pieces = re.split(rf"^{mark} (.+)$", text, flags=re.MULTILINE)
    return dict(zip(pieces[1::2], pieces[2::2], strict=True))


def ticked(text: str) -> list[str]:
    return re.findall(r"`([^`]+)`", text)


def tables(text: str) -> Iterator[tuple[tuple[str, ...], list[tuple[str, ...]]]]:
    """Yield each table's header and rows."""
    for block in re.findall(r"(?:^\|.*\n)+", text, flags=re.MULTILINE):
        rows = [tuple(cell.strip() for cell in line.strip().strip("|").split("|")) for line in block.splitlines()]
        yield rows[0], rows[2:]


def rows_of(text: str, head: tuple[str, ...]) -> Iterator[tuple[str, ...]]:
    yield from (row for found, rows in tables(text) if found == head for row in rows)


PARTS = sections(PAGE, "##")
BY_MODULE = {ticked(name)[0]: text for name, text in sections(PARTS["3. Names of quantities"], "####").items()}
PROVENANCE_HEAD = ("quantity", "unit", "what it is")


def named_on_page(module: str) -> list[tuple[str, str]]:
    rows = rows_of(BY_MODULE.get(module, ""), FIELDS_HEAD)
    return [(record, name) for row in rows for name in ticked(row[0]) for record in ticked(row[1])]


# Comparison of both


@pytest.mark.parametrize("module", MODULES)
def test_every_quantity_of_the_code_is_on_the_page_and_no_other(module: str) -> None:
    on_page = named_on_page(module)
    assert len(set(on_page)) == len(on_page), "named twice"
    in_code = quantities(MODULES[module])
    assert in_code - set(on_page) == set(), "not on the page"
    assert set(on_page) - in_code == set(), "not in the code"


@pytest.mark.parametrize("module", MODULES)
def test_every_constant_is_on_the_page_with_its_value(module: str) -> None:
    rows = {row[0]: row[1:] for row in rows_of(BY_MODULE.get(module, ""), CONSTANTS_HEAD)}
    names = [name for cell in rows for name in ticked(cell)]
    in_code = constants(MODULES[module])
    assert set(in_code) <= set(names), "not on the page"
    for name in set(names) - set(in_code):
        assert name in names_bound_in(MODULES[module]), "not in the code"
    for cell, (quantity, value, unit, kind, source) in rows.items():
        known = [in_code[name] for name in ticked(cell) if name in in_code]
        assert source
        assert [f"{constant.value:.6g}" for constant in known] == [
            f"{float(number.replace(',', '')):.6g}" for number in (value.split() if known else [])
        ], cell
        for constant in known:
            assert (constant.quantity, constant.kind) == ("".join(ticked(quantity)), kind), cell
            assert constant.unit in {None, unit}, cell


def test_the_page_has_no_module_that_the_code_does_not_have() -> None:
    assert set(BY_MODULE) <= set(MODULES)
    tables_of_modules = [head for text in BY_MODULE.values() for head, _ in tables(text)]
    assert set(tables_of_modules) == {FIELDS_HEAD, CONSTANTS_HEAD}


def test_a_name_that_ends_in_a_unit_has_that_unit() -> None:
    endings = {ticked(row[0])[0]: row[1] for row in rows_of(PAGE, ("ending", "unit"))}
    used = set()
    for text in BY_MODULE.values():
        for names, _, unit, _, _ in rows_of(text, FIELDS_HEAD):
            for name in ticked(names):
                longest = max((ending for ending in endings if name.endswith(ending)), key=len, default=None)
                if longest is not None:
                    used.add(longest)
                    assert unit == endings[longest], name
    assert used == set(endings), "no name ends so"


def test_names_in_provenance_are_those_of_the_code() -> None:
    on_page = [ticked(row[0])[0] for row in rows_of(PAGE, PROVENANCE_HEAD)]
    assert len(set(on_page)) == len(on_page), "named twice"
    assert given_names() - set(on_page) == set(), "not on the page"
    assert set(on_page) - given_names() == set(), "not in the code"


def test_kinds_are_those_of_the_code() -> None:
    assert [row[0] for row in rows_of(PAGE, ("kind", "meaning"))] == list(typing.get_args(Kind))


def test_names_in_json_are_those_of_the_answers() -> None:
    spec = importlib.util.find_spec("stowage.workloads.answers")
    assert spec is not None
    assert spec.origin is not None
    tree = ast.parse(Path(spec.origin).read_text())
    answered = {
        node.target.id
        for node in ast.walk(tree)
        if isinstance(node, ast.AnnAssign) and isinstance(node.target, ast.Name)
    }
    records = {name: record for module in MODULES.values() for name, record in records_of(module).items()}
    for name, of_model, _ in rows_of(PAGE, ("JSON", "model", "")):
        assert ticked(name)[0] in answered
        for path in ticked(of_model):
            record, _, field = path.partition(".")
            assert field in fields_of(records[record])


def test_every_place_in_the_code_that_the_text_names_exists() -> None:
    text = "".join(part for name, part in PARTS.items() if "Symbols" in name or "not modelled" in name)
    places = [place for place in ticked(text) if re.fullmatch(r"[a-z_]+(\.\w+)+", place)]
    assert len(places) > 50
    for place in places:
        found: Any = MODULES[place.partition(".")[0]]
        for step in place.split(".")[1:]:
            # A field without a default is no attribute of its class if it has no slot.
            known = step in fields_of(found) if is_record(found) else False
            assert known or hasattr(found, step), place
            found = getattr(found, step, None)


def test_no_line_of_the_page_is_too_long_to_read() -> None:
    assert [line for line in PAGE.splitlines() if len(line) > 130] == []
