"""Jobs of the laboratory on a running Ray cluster, for `bench.laboratory.ray_nodes`; runs in Ray's own environment.

Each line of standard input is a job: id, kind, input, output, partitions, replication, skew, output share, separated by
tabs; each answer is a line: id, seconds, records. A job named `counters` or `tasks` reads Ray's own instead and answers
with JSON: bytes that each node has received and spilled so far, or the tasks that ended since that was last asked.

Arguments: the head's address, `tasks` or `data`, then address=folder of each worker. A folder is a worker's disk.
`tasks` sorts by tasks of Ray: map tasks on the node that holds the data, whose outputs are the arguments of reduce
tasks. `data` sorts by Ray Data.
"""

import json
import os
import sys
import time
import urllib.request
import uuid
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise
from pathlib import Path
from typing import Any

import numpy as np
import ray
from numpy.typing import NDArray
from ray._private.internal_api import node_stats
from ray._private.state import state
from ray.util.scheduling_strategies import NodeAffinitySchedulingStrategy

RECORD_BYTES = 100
KEY_BYTES = 10
BLOCK_BYTES = 8 * 1024 * 1024
"""Of a map task, like a block of the laboratory's HDFS."""
PORT = 6379
_INPUTS_MADE, _RUNNING, _FINISHED = 2, 8, 11
"""States of a task in Ray's protocol: PENDING_NODE_ASSIGNMENT, RUNNING, FINISHED."""
Records = NDArray[np.uint8]
"""One row for each record."""


@dataclass(frozen=True)
class Job:
    """A job, as `bench.laboratory.jobs.Asked` writes it."""

    id: str
    kind: str
    source: str
    target: str
    partitions: int
    skew: float
    output_share: float


@dataclass(frozen=True)
class Block:
    """Part of a file on a node's disk [bytes]."""

    path: str
    offset: int
    size: int


def read(block: Block) -> Records:
    """Return the records of a block."""
    return np.fromfile(block.path, np.uint8, block.size, offset=block.offset).reshape(-1, RECORD_BYTES)


def ordered(records: Records) -> Records:
    """Return records in the order of their keys, as unsigned bytes; records that are in order already cost less."""
    last = np.ascontiguousarray(records[:, 8:KEY_BYTES]).view(">u2")[:, 0].astype(np.uint16)
    return records[np.lexsort((last, first_bytes(records)))]


def first_bytes(records: Records) -> NDArray[np.uint64]:
    """Return the first eight bytes of the keys as numbers."""
    return np.ascontiguousarray(records[:, :8]).view(">u8")[:, 0].astype(np.uint64)


def map_block(block: Block, partitions: int, skew: float) -> list[Any]:
    """Sort a block and cut it into partitions; the last of what is returned tells CPU time and bytes."""
    began = time.process_time()
    records = ordered(read(block))
    uniform = (first_bytes(records) >> np.uint64(16)) / 2.0**48
    edges = np.searchsorted((partitions * uniform ** (1.0 + skew)).astype(np.int64), np.arange(partitions + 1))
    parts = [records[start:end] for start, end in pairwise(edges)]
    return [*parts, {"cpu_s": time.process_time() - began, "input": records.nbytes, "shuffled": records.nbytes}]


def reduce_parts(path: str, share: float, *parts: Records) -> dict[str, Any]:
    """Merge the parts of one partition, keep a share of the records and write them."""
    began = time.process_time()
    records = ordered(np.concatenate(parts))
    # A byte of the key that does not decide the partition.
    kept = records[records[:, 8] < 256.0 * share]
    Path(path).parent.mkdir(parents=True, exist_ok=True)
    kept.tofile(path)
    ends = [bytes(records[place, :KEY_BYTES]) for place in (0, -1)] if len(records) else []
    return {"cpu_s": time.process_time() - began, "merged": records.nbytes, "output": kept.nbytes, "ends": ends}


def scan_block(block: Block) -> dict[str, Any]:
    """Count the records whose value begins with a q."""
    began = time.process_time()
    records = read(block)
    found = int((records[:, KEY_BYTES] == ord("q")).sum())
    return {"cpu_s": time.process_time() - began, "input": records.nbytes, "found": found}


class Driver:
    """Runs jobs and reads what Ray says of them.

    Parameters
    ----------
    kind : str
        `tasks` or `data`.
    disks : mapping of str to Path
        Folders of the workers by address.
    """

    def __init__(self, kind: str, disks: Mapping[str, Path]) -> None:
        self._kind = kind
        self._disks = disks
        self._map, self._reduce, self._scan = (ray.remote(each) for each in (map_block, reduce_parts, scan_block))
        self._told: dict[str, list[dict[str, Any]]] = {}
        self._began = 0.0

    def run(self, job: Job) -> int:
        """Run a job and return its records."""
        self._told, self._began = {}, time.time()
        if self._kind == "data":
            return self._sort_by_data(job)
        return self._find(job) if job.kind == "scan" else self._sort(job)

    def _blocks(self, job: Job) -> Iterator[tuple[str, Block]]:
        """Yield the address of a node and one of its blocks, a block of each node in turn."""
        of_node = {address: list(_cut(folder / job.source)) for address, folder in self._disks.items()}
        for place in range(max(map(len, of_node.values()))):
            for address, blocks in of_node.items():
                yield from ((address, block) for block in blocks[place : place + 1])

    def _find(self, job: Job) -> int:
        nodes = _node_ids()
        told = [
            self._scan.options(name="scan", scheduling_strategy=_on(nodes[address])).remote(block)
            for address, block in self._blocks(job)
        ]
        self._told = {"scan": ray.get(told)}
        return int(sum(each["found"] for each in self._told["scan"]))

    def _sort(self, job: Job) -> int:
        """Sort by tasks: Ray fetches the arguments of a reduce task before the task has a slot."""
        nodes = _node_ids()
        made = [
            self._map.options(
                name="map", num_returns=job.partitions + 1, scheduling_strategy=_on(nodes[address])
            ).remote(block, job.partitions, job.skew)
            for address, block in self._blocks(job)
        ]
        addresses = list(self._disks)
        reduced = []
        for number in range(job.partitions):
            address = addresses[number % len(addresses)]
            path = self._disks[address] / job.target / f"part-{number:05}"
            options = self._reduce.options(name="reduce", scheduling_strategy=_on(nodes[address]))
            reduced.append(options.remote(str(path), job.output_share, *(parts[number] for parts in made)))
        of_map = [parts[-1] for parts in made]
        del made  # so that Ray drops what has been reduced
        self._told = {"map": ray.get(of_map), "reduce": ray.get(reduced)}
        self._check()
        return int(sum(each["output"] for each in self._told["reduce"]) // RECORD_BYTES)

    def _check(self) -> None:
        """Raise ValueError where records are missing or out of order."""
        given = sum(each["input"] for each in self._told["map"])
        merged = sum(each["merged"] for each in self._told["reduce"])
        ends = [end for each in self._told["reduce"] for end in each["ends"]]
        if given != merged or ends != sorted(ends):
            raise ValueError(f"{given} bytes became {merged}, in order: {ends == sorted(ends)}")

    def _sort_by_data(self, job: Job) -> int:
        # Imported here: the workers of the other kind need none of it.
        from ray.data import read_binary_files  # noqa: PLC0415

        files = [str(path) for folder in self._disks.values() for path in sorted((folder / job.source).iterdir())]
        target = next(iter(self._disks.values())) / job.target
        target.mkdir(parents=True)
        written = (
            read_binary_files(files, override_num_blocks=len(files))
            .map_batches(_as_table, batch_format="pyarrow", batch_size=None)
            .sort("key")
            .map_batches(_write_table, batch_format="pyarrow", batch_size=None, fn_args=(str(target),))
            .materialize()
        )
        return int(written.sum("records"))

    def tasks(self) -> list[dict[str, Any]]:
        """Return the phases of the last job: tasks by name, as Ray's events have them, and what they told."""
        addresses = {node["NodeID"]: node["NodeManagerAddress"] for node in ray.nodes()}
        of_phase: dict[str, list[tuple[str, float, float, float]]] = {}
        for event in state._get_all_task_events():  # noqa: SLF001 - ray.timeline() leaves out the states
            at = {number: when / 1e9 for number, when in event.state_updates.state_ts_ns.items()}
            name = _phase_of(event.task_info.name)
            if name is None or _FINISHED not in at or at.get(_INPUTS_MADE, 0.0) < self._began:
                continue
            address = addresses[event.state_updates.node_id.hex()]
            task = (address, at[_RUNNING] - at[_INPUTS_MADE], at[_RUNNING], at[_FINISHED])
            of_phase.setdefault(name, []).append(task)
        return [_phase(name, tasks, self._told.get(name, ())) for name, tasks in of_phase.items()]


_PHASES = {
    **{name: name for name in ("map", "reduce", "scan")},
    "ReadBinary": "read",
    "_sample_block": "sample",
    "SortShuffleMap": "map",
    "SortShuffleReduce": "reduce",
}
"""How names of tasks begin, and the phases that they make up: of ours, and of Ray Data's sort."""


def _phase_of(task: str) -> str | None:
    return next((phase for name, phase in _PHASES.items() if task.startswith(name)), None)


def _phase(
    name: str, tasks: Sequence[tuple[str, float, float, float]], told: Sequence[Mapping[str, Any]]
) -> dict[str, Any]:
    """Return what tasks of one name say together; times in seconds, data in bytes."""
    nodes = [address for address, *_ in tasks]

    def total(column: str) -> float | None:
        return sum(each[column] for each in told) if told and column in told[0] else None

    return {
        "phase": name,
        "began_s": min(began for *_, began, _ in tasks),
        "ended_s": max(ended for *_, ended in tasks),
        "tasks": len(tasks),
        "busiest_tasks": max(nodes.count(node) for node in set(nodes)),
        "task_s": sum(ended - began for *_, began, ended in tasks),
        "longest_task_s": max(ended - began for *_, began, ended in tasks),
        "wait_s": sum(wait for _, wait, *_ in tasks),
        **{column: total(column) for column in ("cpu_s", "input", "output", "shuffled")},
    }


def _cut(folder: Path) -> Iterator[Block]:
    """Yield the files of a folder in blocks of whole records."""
    most = BLOCK_BYTES // RECORD_BYTES * RECORD_BYTES
    for path in sorted(folder.iterdir()):
        size = path.stat().st_size
        yield from (Block(str(path), start, min(most, size - start)) for start in range(0, size, most))


def _as_table(batch: Any) -> Any:  # noqa: ANN401 - tables of Arrow
    """Cut files of records into a table of keys and values."""
    import pyarrow as pa  # noqa: PLC0415 - where Ray Data runs

    tables = []
    for file in batch["bytes"].combine_chunks():
        records = np.frombuffer(file.as_buffer(), np.uint8).reshape(-1, RECORD_BYTES)
        columns = {"key": records[:, :KEY_BYTES], "value": records[:, KEY_BYTES:]}
        tables.append(
            pa.table(
                {
                    name: pa.FixedSizeBinaryArray.from_buffers(
                        pa.binary(part.shape[1]), len(part), [None, pa.py_buffer(np.ascontiguousarray(part))]
                    )
                    for name, part in columns.items()
                }
            )
        )
    return pa.concat_tables(tables)


def _write_table(batch: Any, target: str) -> Any:  # noqa: ANN401 - tables of Arrow
    """Write a sorted block to a file and return its number of records."""
    import pyarrow as pa  # noqa: PLC0415 - where Ray Data runs

    columns = [batch[name].combine_chunks() for name in ("key", "value")]
    parts = [
        np.frombuffer(column.buffers()[1], np.uint8).reshape(-1, column.type.byte_width)[column.offset :][: len(column)]
        for column in columns
    ]
    np.concatenate(parts, axis=1).tofile(f"{target}/{uuid.uuid4().hex}")
    return pa.table({"records": [batch.num_rows]})


def _node_ids() -> dict[str, str]:
    return {node["NodeManagerAddress"]: node["NodeID"] for node in ray.nodes() if node["Alive"]}


def _on(node: str) -> NodeAffinitySchedulingStrategy:
    return NodeAffinitySchedulingStrategy(node, soft=False)


def counters() -> dict[str, dict[str, float]]:
    """Return what each node has received and spilled so far, by its address [bytes]."""
    found = {}
    for node in ray.nodes():
        address = node["NodeManagerAddress"]
        stored = node_stats(address, node["NodeManagerPort"], include_memory_info=False).store_stats
        with urllib.request.urlopen(f"http://{address}:{node['MetricsExportPort']}/metrics", timeout=30) as answer:
            lines = answer.read().decode().splitlines()
        received = (line for line in lines if line.startswith("ray_object_manager_bytes{") and '"Received"' in line)
        found[address] = {
            "received": float(next(received, "0").rpartition(" ")[2]),
            "spilled": float(stored.spilled_bytes_total),
        }
    return found


def answer(driver: Driver, line: str) -> str:
    """Do what a line asks for and return the answer."""
    name, kind, source, target, partitions, _, skew, share = line.rstrip("\n").split("\t")
    asked: dict[str, Callable[[], Any]] = {"counters": counters, "tasks": driver.tasks}
    began = time.monotonic()
    try:
        if kind in asked:
            said = json.dumps(asked[kind]())
        else:
            job = Job(name, kind, source.strip("/"), target.strip("/"), int(partitions), float(skew), float(share))
            said = str(driver.run(job))
    except Exception as failed:  # noqa: BLE001 - it is told to who asked
        return f"{name}\tfailed\t{' '.join(str(failed).split())}"
    return f"{name}\t{time.monotonic() - began:.3f}\t{said}"


def main() -> None:
    """Connect to the cluster, wait for its nodes and answer line by line."""
    head, kind, *disks = sys.argv[1:]
    # What libraries print must not get between the answers.
    answers = os.fdopen(os.dup(1), "w")
    os.dup2(2, 1)
    ray.init(address=f"{head}:{PORT}", _node_ip_address=head, log_to_driver=False)
    folders = {address: Path(folder) for address, _, folder in (each.partition("=") for each in disks)}
    while len(_node_ids()) < len(folders) + 1:
        time.sleep(0.2)
    if kind == "data":
        from ray.data import DataContext  # noqa: PLC0415 - see above

        settings = DataContext.get_current()
        settings.enable_progress_bars = False
        settings.target_max_block_size = settings.shuffle_input_batch_bytes = BLOCK_BYTES
        settings.shuffle_compression = os.environ["SHUFFLE_COMPRESSION"]
    driver = Driver(kind, folders)
    print("ready", file=answers, flush=True)
    for line in sys.stdin:
        print(answer(driver, line), file=answers, flush=True)


if __name__ == "__main__":
    main()
