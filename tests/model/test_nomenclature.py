"""`docs/quantities.md` is what the code yields, and `docs/nomenclature.md` names what the code has."""

import ast
import importlib.util
import re
import typing
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import nomenclature
from stowage.model.figure import Figure, Kind

DOCS = Path(__file__).parents[2] / "docs"
PAGE = (DOCS / "nomenclature.md").read_text()
MODULES = nomenclature.modules()
BY_NAME = {name.rpartition(".")[2]: module for name, module in MODULES.items()}


def ticked(text: str) -> list[str]:
    return re.findall(r"`([^`]+)`", text)


def rows_of(*head: str) -> Iterator[tuple[str, ...]]:
    """Yield the rows of the page's tables with these headings."""
    for block in re.findall(r"(?:^\|.*\n)+", PAGE, flags=re.MULTILINE):
        rows = [tuple(cell.strip() for cell in line.strip().strip("|").split("|")) for line in block.splitlines()]
        if rows[0] == head:
            yield from rows[2:]


def test_the_list_of_quantities_is_up_to_date() -> None:
    assert (DOCS / "quantities.md").read_text() == nomenclature.page(), "run `make nomenclature`"


def test_the_guide_lists_the_tools_that_can_be_read() -> None:
    text = (DOCS / "guides/measurements.md").read_text()
    assert text == nomenclature.guide(), "run `make nomenclature`"
    assert text.count("| fio | JSON of 2.x and 3.x") == 1


def test_every_quantity_is_described() -> None:
    found = [
        f"{name}.{record}.{field}"
        for name, module in MODULES.items()
        for record, field, text in nomenclature.quantities(module)
        if len(re.findall(r"[A-Za-z]{2,}", text)) < 2
    ]
    assert found == []


def test_every_plain_number_is_described() -> None:
    found = [
        f"{name}.{path}"
        for name, module in MODULES.items()
        for path, value, text in nomenclature.constants(module)
        if not isinstance(value, Figure) and not nomenclature.unit_and_text(text)[1]
    ]
    assert found == []


def test_a_name_that_ends_in_a_unit_has_that_unit() -> None:
    endings = {ticked(row[0])[0]: row[1] for row in rows_of("ending", "unit")}
    assert len(endings) > 20
    wrong = []
    for name, module in MODULES.items():
        for record, field, text in nomenclature.quantities(module):
            longest = max((ending for ending in endings if field.endswith(ending)), key=len, default=None)
            unit, _ = nomenclature.unit_and_text(text)
            if longest is not None:
                same = {"IOPS", "1/s"} if endings[longest] == "IOPS" else {endings[longest]}
                wrong += [] if unit in same else [f"{name}.{record}.{field}: {unit}"]
    assert wrong == []


def test_every_given_figure_is_a_field_or_described_by_hand() -> None:
    found = nomenclature.given_figures()
    assert found["workload.skew"] == ("1", "MapReduce.skew")
    assert found["place.zones"] == ("1", "Place.zones")
    by_hand = {ticked(row[0])[0]: row[1] for row in rows_of("quantity", "unit", "what it is")}
    assert by_hand == {name: unit for name, (unit, field) in found.items() if not field}


def test_kinds_are_those_of_the_code() -> None:
    assert [row[0] for row in rows_of("kind", "meaning")] == list(typing.get_args(Kind))


def test_names_in_json_are_those_of_the_answers() -> None:
    spec = importlib.util.find_spec("stowage.workloads.answers")
    assert spec is not None
    tree = ast.parse(Path(spec.origin or "").read_text())
    answered = {
        node.target.id
        for node in ast.walk(tree)
        if isinstance(node, ast.AnnAssign) and isinstance(node.target, ast.Name)
    }
    records = {name: record for module in MODULES.values() for name, record in nomenclature.records_of(module).items()}
    for name, of_model, _ in rows_of("JSON", "model", ""):
        assert ticked(name)[0] in answered
        for path in ticked(of_model):
            record, _, field = path.partition(".")
            assert field in nomenclature.fields_of(records[record])


def test_every_place_in_the_code_that_the_text_names_exists() -> None:
    text = PAGE[PAGE.index("## 2. ") : PAGE.index("## 3. ")] + PAGE[PAGE.index("## 4. ") :]
    places = [place for place in ticked(text) if re.fullmatch(r"[a-z_]+(\.\w+)+", place)]
    assert len(places) > 50
    for place in places:
        found: Any = BY_NAME[place.partition(".")[0]]
        for step in place.split(".")[1:]:
            # A field without a default is no attribute of its class if it has no slot.
            known = step in nomenclature.fields_of(found) if nomenclature.is_record(found) else False
            assert known or hasattr(found, step), place
            found = getattr(found, step, None)
