"""Reports as data: frozen, unchanged by storing and reading, and with every field present."""

import dataclasses
import inspect
import typing
from typing import Any

import pytest
from pydantic import TypeAdapter, ValidationError

from documents.sample import full_report, hostile_report
from stowage.model import report as rooms
from stowage.model.report import Amount, Block, Report, Section

STORED = TypeAdapter(Report)
RECORDS = [value for _, value in inspect.getmembers(rooms, inspect.isclass) if dataclasses.is_dataclass(value)]


@pytest.mark.parametrize("report", [full_report(), hostile_report()], ids=["full", "hostile"])
def test_a_report_that_is_stored_and_read_again_is_the_same_to_the_last_digit(report: Report) -> None:
    again = STORED.validate_json(STORED.dump_json(report))
    assert again == report
    assert STORED.dump_json(again) == STORED.dump_json(report)


@pytest.mark.parametrize("record", RECORDS, ids=lambda record: record.__name__)
def test_nothing_of_a_report_can_be_changed(record: Any) -> None:
    assert record.__dataclass_params__.unsafe_hash, "not declared by `frozen`, by which mypy refuses assignments"
    assert not hasattr(record, "__dict__") or "__slots__" in vars(record)
    hints = typing.get_type_hints(record)
    mutable = {name for name, kind in hints.items() if typing.get_origin(kind) in {list, dict, set}}
    assert mutable == set()


@pytest.mark.parametrize("record", RECORDS, ids=lambda record: record.__name__)
def test_the_json_has_every_field(record: Any) -> None:
    schema = TypeAdapter(record).json_schema(mode="serialization")
    assert set(schema["required"]) == {field.name for field in dataclasses.fields(record)}


def test_the_kind_of_a_block_tells_which_it_is() -> None:
    kinds = [dataclasses.fields(block)[-1] for block in typing.get_args(Block)]
    assert {field.name for field in kinds} == {"kind"}
    assert len({field.default for field in kinds}) == len(kinds)
    sample = {type(block) for section in full_report().sections for block in section.blocks}
    assert sample == set(typing.get_args(Block))


@pytest.mark.parametrize("section", full_report().sections, ids=lambda section: section.key)
def test_each_section_is_read_as_the_blocks_that_it_was(section: Section) -> None:
    adapter = TypeAdapter(Section)
    again = adapter.validate_json(adapter.dump_json(section))
    assert [type(block) for block in again.blocks] == [type(block) for block in section.blocks]


def test_what_is_no_amount_is_not_read_as_one() -> None:
    with pytest.raises(ValidationError):
        TypeAdapter(Amount).validate_python({"value": "much", "unit": "USD", "words": "much"})
