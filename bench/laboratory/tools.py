"""Programs of the laboratory: Spark, Hadoop, Flink and Ray as their projects publish them. Fetches missing ones.

    .venv/bin/python -m bench.laboratory.tools

Ray comes from PyPI, into an environment of its own; the others come from Maven Central. Java 17 with its compiler and
Maven must be installed (on Debian: openjdk-17-jdk-headless and maven).
"""

import shutil
import subprocess
import sys
import tempfile
from collections.abc import Sequence
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
HERE = Path(__file__).resolve().parent
KEPT = ROOT / ".tools" / "laboratory"
HADOOP_VERSION = "3.3.6"
HADOOP = KEPT / f"hadoop-{HADOOP_VERSION}"
EXAMPLES = HADOOP / f"hadoop-mapreduce-examples-{HADOOP_VERSION}.jar"
"""With the input and output formats of TeraSort."""
FLINK_VERSION = "1.20.3"
FLINK = KEPT / f"flink-{FLINK_VERSION}"
RAY_VERSION = "2.60.0"
RAY = KEPT / f"ray-{RAY_VERSION}"
"""A Python environment with Ray and Ray Data, and the collector of Ray's metrics."""
PROGRAMS = {"hadoop": ("Generate",), "flink": ("FlinkJobs",), "spark": ("SparkJobs",)}
"""What is compiled for each framework."""
SPARK_VERSIONS = ("3.5.7", "4.0.1")
"""A release of each line that is maintained."""

_HADOOP_PARTS = (
    ("hadoop-common", None),
    ("hadoop-common", "tests"),
    ("hadoop-hdfs", None),
    ("hadoop-hdfs", "tests"),
    ("hadoop-mapreduce-client-app", None),
    ("hadoop-mapreduce-client-jobclient", None),
    ("hadoop-mapreduce-client-jobclient", "tests"),
    ("hadoop-mapreduce-examples", None),
    ("hadoop-yarn-server-nodemanager", None),
    ("hadoop-yarn-server-resourcemanager", None),
    ("hadoop-yarn-server-timelineservice", None),
)
_BESIDE_HADOOP = (("junit", "junit", "4.13.2"), ("org.bouncycastle", "bcpkix-jdk15on", "1.70"))
"""TestDFSIO is a test and needs JUnit; YARN's ResourceManager needs a provider of ciphers that it does not name."""
_FLINK_PARTS = tuple(
    (part, None)
    for part in (
        "flink-clients", "flink-connector-files", "flink-hadoop-compatibility_2.12", "flink-java", "flink-runtime",
        "flink-streaming-java",
    )
)  # fmt: skip
_OPENED = tuple(
    f"java.base/{package}"
    for package in (
        "java.io", "java.lang", "java.lang.invoke", "java.net", "java.nio", "java.util", "java.util.concurrent",
        "java.util.concurrent.atomic", "sun.nio.ch", "sun.nio.cs", "sun.util.calendar",
    )
)  # fmt: skip
"""Packages of Java that Spark, Hadoop and Flink look into."""


def spark(version: str) -> Path:
    """Return the home folder of a version of Spark, with its jars."""
    return KEPT / f"spark-{version}"


def programs(name: str) -> Path:
    """Return the folder of our compiled programs for a framework: hadoop, flink, or spark with a version."""
    return KEPT / f"programs-{name}"


def jvm_options(heap_mb: int) -> tuple[str, ...]:
    """Return options of a Java process: one thread to collect garbage and the first compiler only.

    The nodes share two cores, of which a full compiler and parallel collectors would take most in jobs of a minute.
    """
    opened = (f"--add-opens={each}=ALL-UNNAMED" for each in _OPENED)
    return (f"-Xmx{heap_mb}m", "-XX:+UseSerialGC", "-XX:TieredStopAtLevel=1", "-Xshare:auto", *opened)


def java_home() -> str:
    """Return the home folder of Java, which Hadoop's containers want to know.

    Raises
    ------
    FileNotFoundError
        There is no Java.
    """
    found = shutil.which("java")
    if found is None:
        raise FileNotFoundError("java is not on the PATH")
    return str(Path(found).resolve().parents[1])


def java(main: str, *arguments: str, jars: Sequence[str], heap_mb: int, options: Sequence[str] = ()) -> tuple[str, ...]:
    """Return the command that runs a Java program."""
    return ("java", *jvm_options(heap_mb), *options, "-cp", ":".join(jars), main, *arguments)


def main() -> None:
    """Fetch what is missing and compile our programs."""
    KEPT.mkdir(parents=True, exist_ok=True)
    if not HADOOP.exists():
        _fetch_from_maven(HADOOP, "org.apache.hadoop", HADOOP_VERSION, _HADOOP_PARTS, _BESIDE_HADOOP)
    if not FLINK.exists():
        _fetch_from_maven(FLINK, "org.apache.flink", FLINK_VERSION, _FLINK_PARTS)
    if not (RAY / "bin" / "ray").exists():
        _fetch_ray()
    _compile("hadoop", HADOOP)
    _compile("flink", FLINK)
    for version in SPARK_VERSIONS:
        if not (spark(version) / "jars").exists():
            _fetch_spark(version)
        _compile(f"spark-{version}", spark(version) / "jars")


def _fetch_from_maven(
    target: Path,
    group: str,
    version: str,
    parts: Sequence[tuple[str, str | None]],
    beside: Sequence[tuple[str, str, str]] = (),
) -> None:
    with tempfile.TemporaryDirectory(dir=KEPT) as name:
        folder = Path(name)
        every = [(group, part, version, kind) for part, kind in parts] + [(*other, None) for other in beside]
        wanted = "".join(
            f"<dependency><groupId>{of}</groupId><artifactId>{part}</artifactId><version>{number}</version>"
            f"{f'<classifier>{kind}</classifier>' if kind else ''}</dependency>"
            for of, part, number, kind in every
        )
        (folder / "pom.xml").write_text(
            '<project xmlns="http://maven.apache.org/POM/4.0.0"><modelVersion>4.0.0</modelVersion>'
            "<groupId>stowage</groupId><artifactId>laboratory</artifactId><version>1</version><packaging>pom</packaging>"
            f"<dependencies>{wanted}</dependencies></project>"
        )
        command = ("mvn", "-q", "-B", "dependency:copy-dependencies", f"-DoutputDirectory={folder / 'jars'}")
        subprocess.run(command, cwd=folder, check=True)
        (folder / "jars").rename(target)


def _fetch_spark(version: str) -> None:
    scala = "2.12" if version.startswith("3.") else "2.13"
    spark(version).mkdir(exist_ok=True)
    _fetch_from_maven(spark(version) / "jars", "org.apache.spark", version, ((f"spark-sql_{scala}", None),))


def _fetch_ray() -> None:
    """Install Ray into an environment of its own, by the versions and hashes of the lock file."""
    subprocess.run((sys.executable, "-m", "venv", "--clear", str(RAY)), check=True)
    locked = ("--require-hashes", "--requirement", str(HERE / "requirements.lock"))
    subprocess.run((str(RAY / "bin" / "pip"), "install", "--quiet", *locked), check=True)


def _compile(name: str, jars: Path) -> None:
    """Compile our programs for one framework."""
    made = programs(name)
    sources = [HERE / "java" / f"{each}.java" for each in PROGRAMS[name.partition("-")[0]]]
    if made.exists() and made.stat().st_mtime > max(source.stat().st_mtime for source in sources):
        return
    made.mkdir(exist_ok=True)
    classes = f"{jars}/*:{EXAMPLES}" if name.startswith("spark") else f"{jars}/*:{HADOOP}/*"
    subprocess.run(("javac", "-nowarn", "-cp", classes, "-d", str(made), *map(str, sources)), check=True)
    made.touch()


if __name__ == "__main__":
    main()
