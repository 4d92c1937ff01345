from pathlib import Path

import pytest

from measured import files_for, head_of
from stowage.measure.tools import csv_template, iperf, iperf3, memtier, netperf, perfkit, redis_benchmark

READERS = {
    "perfkit": perfkit,
    "memtier": memtier,
    "iperf3": iperf3,
    "iperf": iperf,
    "netperf": netperf,
    "redis_benchmark": redis_benchmark,
    "csv_template": csv_template,
}


@pytest.mark.parametrize(
    ("tool", "path"), [(tool, path) for tool in READERS for path in files_for(tool)], ids=lambda value: str(value)[-30:]
)
def test_no_file_is_taken_for_another_tools(tool: str, path: Path) -> None:
    head = head_of(path.read_bytes())
    assert [name for name, reader in READERS.items() if reader.recognises(head)] == [tool]


@pytest.mark.parametrize(
    "text", ["", "hello\n", "name,color\na,red\n", '{"a": 1}\n', "a: b\n" * 100, "\x00\x01\x02", "[\n"]
)
def test_text_of_no_tool_has_no_reader(text: str) -> None:
    head = head_of(text.encode())
    assert not [name for name, reader in READERS.items() if reader.recognises(head)]
