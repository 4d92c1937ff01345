"""Write the lists in docs/ that stand in the code: all quantities and constants of the model, and all tools.

`python scripts/nomenclature.py` writes docs/quantities.md and the table of tools in docs/guides/measurements.md; with
`--check` it fails where one of them is out of date.
"""

import argparse
import ast
import dataclasses
import importlib
import inspect
import pkgutil
import re
import sys
import typing
from collections.abc import Callable, Iterable, Iterator, Mapping
from functools import cache
from pathlib import Path
from types import ModuleType
from typing import Any, TypeGuard

import numpy as np

import stowage.model
from stowage.measure.tool import TOOLS
from stowage.model.figure import Figure
from stowage.platform.described import descriptions_of

DOCS = Path(__file__).resolve().parents[1] / "docs"
PAGE = DOCS / "quantities.md"
GUIDE = DOCS / "guides" / "measurements.md"
HEAD = """\
# Quantities of the model

Every number that a record of `stowage.model` holds, and every constant, by module. `make nomenclature` writes this page
from the code: descriptions come from docstrings, values and sources from the constants. Words, symbols and equations
are in [nomenclature.md](nomenclature.md). A quantity without a unit is a count or a ratio, a group of quantities, or in
the unit that its description names.
"""

_UNIT = re.compile(r"\s*\[([^\]\[]{1,40})\]")
_TABLE = re.compile(r"(<!-- tools: .*? -->).*?(<!-- end of tools -->)", re.DOTALL)
_LONGEST_SOURCE = 160


def modules() -> Mapping[str, ModuleType]:
    """Return the modules of the model, by their names below `stowage.model`, packages aside."""
    return {
        info.name.removeprefix("stowage.model."): importlib.import_module(info.name)
        for info in pkgutil.walk_packages(stowage.model.__path__, "stowage.model.")
        if not info.ispkg
    }


def is_record(value: object) -> TypeGuard[type]:
    """Return whether this is a dataclass or a named tuple."""
    return inspect.isclass(value) and (dataclasses.is_dataclass(value) or hasattr(value, "_fields"))


@cache
def _hints(owner: type | Callable[..., Any]) -> Mapping[str, Any]:
    return typing.get_type_hints(owner)


def fields_of(record: type) -> dict[str, Any]:
    """Return the public fields of a record with their types."""
    if dataclasses.is_dataclass(record):
        names: Iterable[str] = (field.name for field in dataclasses.fields(record))
    else:
        names = getattr(record, "_fields", ())
    return {name: _hints(record)[name] for name in names if not name.startswith("_")}


def _properties_of(record: type) -> dict[str, Any]:
    found = ((name, value.fget) for name, value in vars(record).items() if isinstance(value, property))
    return {name: _hints(getter)["return"] for name, getter in found if getter and not name.startswith("_")}


@cache
def _is_number(kind: object) -> bool:
    """Return whether a type is a number, a figure, a collection of them, or a record of nothing else."""
    if kind in {float, int, Figure} or typing.get_origin(kind) is np.ndarray:
        return True
    if typing.get_origin(kind) is typing.Literal:
        return False
    if is_record(kind):
        of_fields = fields_of(kind).values()
        return bool(of_fields) and all(_is_number(one) for one in of_fields)
    return any(_is_number(part) for part in typing.get_args(kind) if part is not Ellipsis)


def records_of(module: ModuleType) -> dict[str, type]:
    """Return the public records that a module defines, by name."""
    return {
        name: value
        for name, value in vars(module).items()
        if is_record(value) and value.__module__ == module.__name__ and not name.startswith("_")
    }


def quantities(module: ModuleType) -> Iterator[tuple[str, str, str]]:
    """Yield record, name and description of each quantity of a module; the description may be empty."""
    for record, kind in records_of(module).items():
        described = descriptions_of(kind)
        summary = (inspect.getdoc(kind) or "").split("\n")[0]
        for name, held in fields_of(kind).items():
            if _is_number(held):
                yield record, name, described.get(name) or summary
        for name, held in _properties_of(kind).items():
            if _is_number(held):
                yield record, name, inspect.getdoc(getattr(kind, name)) or ""


def constants(module: ModuleType) -> Iterator[tuple[str, Figure | float, str]]:
    """Yield path, value and docstring of each public number and figure of a module, also within records and tuples."""
    body = ast.parse(inspect.getsource(module)).body
    for node, following in zip(body, (*body[1:], ast.Pass()), strict=True):
        text = _docstring(following)
        targets = node.targets if isinstance(node, ast.Assign) else [getattr(node, "target", None)]
        for target in targets:
            if isinstance(target, ast.Name) and not target.id.startswith("_"):
                value = getattr(module, target.id)
                if isinstance(value, int | float) and not isinstance(value, bool):
                    yield target.id, float(value), text
                else:
                    yield from ((path, figure, text) for path, figure in _figures(target.id, value))


def _docstring(node: ast.stmt) -> str:
    """Return the text of a statement that is only a string: the docstring of the constant before it."""
    text = node.value.value if isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant) else ""
    return text if isinstance(text, str) else ""


def _figures(path: str, value: object) -> Iterator[tuple[str, Figure]]:
    if isinstance(value, Figure):
        yield path, value
    elif isinstance(value, tuple) and not hasattr(value, "_fields"):
        yield from (found for index, part in enumerate(value) for found in _figures(f"{path}.{index}", part))
    elif is_record(type(value)):
        for name in fields_of(type(value)):
            yield from _figures(f"{path}.{name}", getattr(value, name))


def given_figures() -> Mapping[str, tuple[str, str]]:
    """Return unit and field of each figure that the user or the search gives, by name; `*` stands for a variable part.

    The field is empty where the figure is not of one field; docs/nomenclature.md describes those.
    """
    found: dict[str, tuple[str, str]] = {}
    records = {name: record for module in modules().values() for name, record in records_of(module).items()}
    for module in modules().values():
        tree = ast.parse(inspect.getsource(module))
        classes = {id(node): of.name for of in tree.body if isinstance(of, ast.ClassDef) for node in ast.walk(of)}
        for node in ast.walk(tree):
            if isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id == "given":
                name, value, unit = node.args[:3]
                field = _field_of(value, classes.get(id(node)), records)
                found.setdefault(_name_of(name), (ast.literal_eval(unit), field))
    return dict(sorted(found.items()))


def _name_of(text: ast.expr) -> str:
    parts = text.values if isinstance(text, ast.JoinedStr) else [text]
    return "".join(str(part.value) if isinstance(part, ast.Constant) else "*" for part in parts)


def _field_of(value: ast.expr, around: str | None, records: Mapping[str, type]) -> str:
    """Return the record and the field that an expression reads, for ``self.data_mb`` those of the class around it."""
    if isinstance(value, ast.Call):
        value = value.args[0]
    if not isinstance(value, ast.Attribute):
        return ""
    holds = [name for name, record in records.items() if value.attr in fields_of(record)]
    if around in holds and ast.unparse(value.value) == "self":
        return f"{around}.{value.attr}"
    return f"{holds[0]}.{value.attr}" if len(holds) == 1 else ""


def page() -> str:
    """Return the text of the page."""
    parts = [HEAD, "\n## Figures that the user or the search gives\n", "| quantity | unit | field |\n|---|---|---|"]
    parts += [f"| `{name}` | {unit} | `{field}` |" for name, (unit, field) in given_figures().items() if field]
    for name, module in modules().items():
        of_module, numbers = list(quantities(module)), list(constants(module))
        if not of_module and not numbers:
            continue
        parts.append(f"\n## `{name}`\n")
        if of_module:
            parts.append("| quantity | unit | what it is |\n|---|---|---|")
            rows = ((f"{record}.{field}", *unit_and_text(text)) for record, field, text in of_module)
            parts += [f"| `{path}` | {unit} | {text} |" for path, unit, text in rows]
        if numbers:
            parts.append(
                ("\n" if of_module else "") + "| constant | value | unit | what it is, or source |\n|---|---:|---|---|"
            )
            parts += [_constant(path, value, text) for path, value, text in numbers]
    return "\n".join(parts) + "\n"


def unit_and_text(text: str) -> tuple[str, str]:
    """Split the first paragraph of a description into the unit, or "" without one, and the rest."""
    plain = " ".join(text.split("\n\n", maxsplit=1)[0].split()).replace("|", "\\|")
    unit = _UNIT.search(plain)
    return unit[1] if unit else "", _UNIT.sub("", plain, count=1).strip()


def _constant(path: str, value: Figure | float, text: str) -> str:
    if not isinstance(value, Figure):
        unit, plain = unit_and_text(text)
        return f"| `{path}` | {value:,.12g} | {unit} | {plain} |"
    source = " ".join(value.source.split()).replace("|", "\\|")
    short = source if len(source) <= _LONGEST_SOURCE else source[:_LONGEST_SOURCE].rsplit(" ", 1)[0] + " ..."
    return f"| `{path}` | {value.value:,.12g} | {value.unit} | {value.kind}: {short} |"


def guide() -> str:
    """Return the guide to measurements with the table of tools as the code has it."""
    rows = (f"| {kind.title} | {kind.accepts} |" for kind in TOOLS.values())
    table = "\n".join(["| tool | accepted |", "|---|---|", *rows])
    return _TABLE.sub(lambda found: f"{found[1]}\n{table}\n{found[2]}", GUIDE.read_text())


def main() -> None:
    """Write the lists, or compare them with the code."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--check", action="store_true", help="change nothing; fail if a list is out of date")
    is_check = parser.parse_args().check
    for path, text in ((PAGE, page()), (GUIDE, guide())):
        if not is_check:
            path.write_text(text)
        elif not path.exists() or path.read_text() != text:
            sys.exit(f"{path.name} is out of date: run `make nomenclature`")


if __name__ == "__main__":
    main()
