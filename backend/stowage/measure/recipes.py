"""Recipes: commands for reliable measurements, with their duration and cost."""

from collections.abc import Iterator

from stowage.frozen import frozen
from stowage.measure.tool import Tool
from stowage.model.hardware.instance import InstanceType
from stowage.model.units import SECONDS_PER_HOUR

_RUN_S = 120
_RAMP_S = 10
_NETWORK_S = 60
_SUSTAINED_S = 3_600
_SMALLEST_BILLED_S = 60.0
_DISK = "/dev/nvme{number}n1"
_VOLUME = "/dev/sdf"


@frozen
class Recipe:
    """One command for a reliable measurement, with its duration."""

    tool: Tool
    title: str
    command: str
    """Command for a shell. It has several lines if there are several machines or steps."""
    duration_s: float
    """Duration [s]."""
    what: str
    """Description of what the command measures, and of what users should check."""
    nodes: int = 1
    """Number of machines."""
    overwrites: str | None = None
    """Storage whose data the command destroys, for people; None if it destroys none."""


def cost_usd(recipe: Recipe, usd_per_hour: float) -> float:
    """Compute the cost of the measurement that a recipe describes.

    Parameters
    ----------
    recipe : Recipe
    usd_per_hour : float
        Price of one machine [USD/h].

    Returns
    -------
    float
        Cost of the machines [USD]. They are billed by the second, but for at least 60 s. The time
        in which the machines start is not included.

    Examples
    --------
    >>> pair = Recipe("iperf3", "", "", 360.0, "", nodes=2)
    >>> round(cost_usd(pair, 1.0), 3)
    0.2
    """
    hours = max(recipe.duration_s, _SMALLEST_BILLED_S) / SECONDS_PER_HOUR
    return recipe.nodes * usd_per_hour * hours


def recipes(instance: InstanceType | None) -> tuple[Recipe, ...]:
    """Return the recipes for measurements of an instance type.

    If the type is None, the recipes suit any instance type.

    Parameters
    ----------
    instance : InstanceType or None
        Instance type. Its instance store and its network determine the queue depth and the duration.
    """
    return tuple(_all(instance))


def _all(instance: InstanceType | None) -> Iterator[Recipe]:
    disks = 1 if instance is None else int(instance.disk_count.value)
    if disks > 0:
        hdd = instance is not None and instance.disk_media == "hdd"
        yield _own_disks("read", disks, hdd=hdd)
        yield _own_disks("write", disks, hdd=hdd)
        yield _own_disks("randread", disks, hdd=hdd)
    yield from _volumes()
    yield from _network(instance)
    yield from _services()
    yield from _jobs()


def _fio(name: str, filename: str, rw: str, block: str, depth: int, jobs: int) -> str:
    # O_DIRECT bypasses the page cache, and libaio reaches the requested queue depth.
    words = [
        f"sudo fio --name={name} --filename={filename} --rw={rw} --bs={block} --iodepth={depth} --numjobs={jobs}",
        "--ioengine=libaio --direct=1 --group_reporting --time_based",
        f"--ramp_time={_RAMP_S} --runtime={_RUN_S} --output-format=json+ --output={name}.json",
    ]
    return " \\\n  ".join(words)


def _own_disks(rw: str, disks: int, *, hdd: bool) -> Recipe:
    filename = ":".join(_DISK.format(number=number) for number in range(1, disks + 1))
    large = rw in {"read", "write"}
    block, depth = ("1m", 16 * disks) if large else ("4k", (8 if hdd else 64) * disks)
    words = {"read": "read in order", "write": "write in order", "randread": "read 4 KiB anywhere"}[rw]
    of = "the node's own disk" if disks == 1 else f"all {disks} own disks of the node"
    return Recipe(
        tool="fio",
        title=f"Own disks: {words}",
        command=_fio(f"own-{rw}", filename, rw, block, depth, 1 if large else 4),
        duration_s=float(_RUN_S + _RAMP_S),
        what=(
            f"Measures what {of} can {words}, without the page cache and with enough requests queued to keep it busy. "
            "Find the device names with lsblk. Disks that were never written return reads at once: run the write test "
            "first."
        ),
        overwrites=f"every file on {of}" if rw == "write" else None,
    )


def _volumes() -> Iterator[Recipe]:
    for rw, block, depth, jobs, words in (
        ("read", "1m", 32, 1, "read in order"),
        ("write", "1m", 32, 1, "write in order"),
        ("randread", "16k", 64, 4, "read 16 KiB anywhere"),
    ):
        yield Recipe(
            tool="fio",
            title=f"EBS volume: {words}",
            command=_fio(f"ebs-{rw}", _VOLUME, rw, block, depth, jobs),
            duration_s=float(_RUN_S + _RAMP_S),
            what=(
                "Whether a volume does what was provisioned. Of several name all, with : between them. gp2, st1 "
                "and sc1 live on credit at first: let it run until the rate falls. A volume from a snapshot is slow "
                "until every block was read once."
            ),
            overwrites="every file on the volume" if rw == "write" else None,
        )
    yield Recipe(
        tool="sysbench",
        title="Files: read 16 KiB anywhere",
        command=(
            "sysbench fileio --file-total-size=64G --file-num=16 prepare\n"
            f"sysbench fileio --file-total-size=64G --file-num=16 --file-test-mode=rndrd --file-extra-flags=direct \\\n"
            f"  --threads=64 --time={_RUN_S} --warmup-time={_RAMP_S} run > sysbench.txt\n"
            "sysbench fileio --file-total-size=64G --file-num=16 cleanup"
        ),
        duration_s=float(_RUN_S + _RAMP_S + 300),
        what="What files on a file system do; about five minutes go into writing them.",
    )


def _network(instance: InstanceType | None) -> Iterator[Recipe]:
    peak = None if instance is None else instance.network_peak_mb_per_s
    baseline = None if instance is None else instance.network_baseline_mb_per_s
    lent = peak is not None and baseline is not None and peak.value > baseline.value
    seconds = _SUSTAINED_S if lent else _NETWORK_S
    mind = " Its network is lent above the baseline for 5 to 60 minutes: an hour shows what stays." if lent else ""
    yield Recipe(
        tool="iperf3",
        title="Network between two nodes",
        command=(
            "iperf3 -s -1                                  # on the first node\n"
            f"iperf3 -c FIRST_NODE -P 16 -t {seconds} -O 5 -J > network.json   # on the second"
        ),
        duration_s=float(seconds + 5),
        what=f"What a node receives of another, over 16 streams: AWS limits each to 5 Gbit/s.{mind}",
        nodes=2,
    )
    yield Recipe(
        tool="netperf",
        title="Round trips between two nodes",
        command=(
            "netserver -D                                  # on the first node\n"
            f"netperf -H FIRST_NODE -t TCP_RR -l {_NETWORK_S} > netperf.txt   # on the second"
        ),
        duration_s=float(_NETWORK_S),
        what="How many questions of one byte are answered one after the other.",
        nodes=2,
    )


def _services() -> Iterator[Recipe]:
    yield Recipe(
        tool="redis-benchmark",
        title="Redis, from beside it",
        command="redis-benchmark -h REDIS -n 5000000 -c 50 -d 1024 -t set,get --csv > redis.csv",
        duration_s=120.0,
        what="SET and GET of 1 KiB over 50 connections; from another machine, else both share the processors.",
        nodes=2,
    )
    yield Recipe(
        tool="memtier_benchmark",
        title="Redis, under a mix",
        command=(
            f"memtier_benchmark -s REDIS -t 8 -c 25 --test-time={_RUN_S} -d 1024 --ratio=1:10 -x 3 "
            "--json-out-file=memtier.json"
        ),
        duration_s=3.0 * _RUN_S,
        what="One SET to ten GETs, three times over: the spread between the runs is told too.",
        nodes=2,
    )


def _jobs() -> Iterator[Recipe]:
    hadoop = "hadoop jar $HADOOP_HOME/share/hadoop/mapreduce/hadoop-mapreduce-client-jobclient-*-tests.jar TestDFSIO"
    yield Recipe(
        tool="testdfsio",
        title="HDFS: write, then read",
        command=(
            f"{hadoop} -write -nrFiles 64 -size 4GB -resFile dfsio.log\n"
            f"{hadoop} -read -nrFiles 64 -size 4GB -resFile dfsio.log\n"
            f"{hadoop} -clean"
        ),
        duration_s=600.0,
        what=(
            "What a cluster writes and reads: as many files as tasks run at once, together several times its memory. "
            "Minutes depend on the cluster; that many are counted here, of one node."
        ),
    )
    yield Recipe(
        tool="terasort",
        title="A sort of 1 TB",
        command=(
            "EXAMPLES=$(ls $HADOOP_HOME/share/hadoop/mapreduce/hadoop-mapreduce-examples-*.jar)\n"
            "hadoop jar $EXAMPLES teragen 10000000000 /tera/in 2>&1 | tee teragen.log\n"
            "hadoop jar $EXAMPLES terasort /tera/in /tera/out 2>&1 | tee terasort.log"
        ),
        duration_s=1_800.0,
        what="A finished job: time and counters; half an hour is counted here, of one node.",
    )
    yield Recipe(
        tool="iostat",
        title="Disks, beside a job",
        command="iostat -dxmt -o JSON 10 360 > iostat.json",
        duration_s=3_600.0,
        what="What each device does while a job runs: drawn over the job's predicted phases.",
    )
    yield Recipe(
        tool="sar",
        title="Network, disks and processors, beside a job",
        command="sar -o sar.data 10 360 > /dev/null\nsadf -j sar.data -- -u -r -d -n DEV > sar.json",
        duration_s=3_600.0,
        what="The same with network and processors.",
    )
