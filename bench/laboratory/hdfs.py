"""HDFS on the nodes of the laboratory: the NameNode on the head, a DataNode on each worker."""

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from xml.sax.saxutils import escape

from bench.laboratory.cluster import Cluster, await_that
from bench.laboratory.tools import HADOOP, java, programs

PORT = 9000
BLOCK_MB = 8
"""Block size [MiB]: a laboratory's data is a thousandth of real data, 128 MiB a block would give a node one task."""
RECORD_BYTES = 100
_UP_S = 120.0
_GENERATE_S = 300.0


@dataclass(frozen=True)
class FileSystem:
    """A running HDFS."""

    cluster: Cluster
    configuration: Path
    """Folder with Hadoop's configuration files."""
    replication: int
    """Of new files, unless a job says otherwise."""

    @property
    def address(self) -> str:
        """Return the URL of its root."""
        return f"hdfs://{self.cluster.head.address}:{PORT}"

    def command(self, main: str, *arguments: str, heap_mb: int = 192) -> tuple[str, ...]:
        """Return the command that runs one of Hadoop's programs with this configuration."""
        return java(main, *arguments, jars=(str(self.configuration), f"{HADOOP}/*"), heap_mb=heap_mb)

    def ask(self, *arguments: str, timeout_s: float = 120.0) -> str:
        """Run `hdfs dfs` on the head and return what it prints."""
        return self.cluster.head.ask(
            self.command("org.apache.hadoop.fs.FsShell", *arguments), self.environment(), timeout_s
        )

    def remove(self, name: str) -> None:
        """Remove a folder."""
        self.ask("-rm", "-r", "-f", "-skipTrash", f"{self.address}{name}")

    def generate(self, name: str, each_mb: float, files: int) -> None:
        """Write records of 100 bytes on all workers at once, in so many files each; the first copy stays there.

        Parameters
        ----------
        each_mb : float
            On each worker [MB].
        """
        records = round(each_mb * 1e6 / RECORD_BYTES / files)
        classes = (str(programs("hadoop")), str(self.configuration), f"{HADOOP}/*")
        writing = [
            node.start(
                "generate",
                java("Generate", name, str(number * files), str(files), str(records), jars=classes, heap_mb=96),
                self.environment(),
            )
            for number, node in enumerate(self.cluster.workers)
        ]
        for process in writing:
            if process.wait(_GENERATE_S):
                raise OSError(f"{name} could not be written: see generate.log of the nodes")

    def environment(self) -> Mapping[str, str]:
        """Return the environment of Hadoop's programs."""
        return {"HADOOP_CONF_DIR": str(self.configuration), "HADOOP_USER_NAME": "laboratory"}


@contextmanager
def file_system(cluster: Cluster, replication: int = 1) -> Iterator[FileSystem]:
    """Format and start HDFS; it ends with the cluster."""
    configuration = cluster.head.folder / "conf"
    configuration.mkdir()
    made = FileSystem(cluster, configuration, replication)
    write_settings(
        configuration / "core-site.xml",
        {"fs.defaultFS": made.address, "hadoop.tmp.dir": str(cluster.head.folder / "tmp")},
    )
    write_settings(configuration / "hdfs-site.xml", _settings(made, "head"))
    (configuration / "log4j.properties").write_text(
        "log4j.rootLogger=WARN,console\nlog4j.appender.console=org.apache.log4j.ConsoleAppender\n"
        "log4j.appender.console.target=System.err\nlog4j.appender.console.layout=org.apache.log4j.PatternLayout\n"
    )
    head, environment = cluster.head, made.environment()
    namenode = "org.apache.hadoop.hdfs.server.namenode.NameNode"
    head.ask(made.command(namenode, "-format", "-force", "-nonInteractive"), environment, _UP_S)
    head.start("namenode", made.command(namenode), environment)
    for node in cluster.workers:
        own = node.folder / "conf"
        own.mkdir()
        for name in ("core-site.xml", "log4j.properties"):
            (own / name).symlink_to(configuration / name)
        write_settings(
            own / "hdfs-site.xml",
            _settings(made, node.name)
            | {
                "dfs.datanode.data.dir": str(node.folder / "blocks"),
                "dfs.datanode.hostname": node.address,
                "dfs.datanode.address": f"{node.address}:9866",
                "dfs.datanode.ipc.address": f"{node.address}:9867",
                "dfs.datanode.http.address": f"{node.address}:9864",
            },
        )
        command = java("org.apache.hadoop.hdfs.server.datanode.DataNode", jars=(str(own), f"{HADOOP}/*"), heap_mb=128)
        node.start("datanode", command, {"HADOOP_CONF_DIR": str(own), "HADOOP_USER_NAME": "laboratory"})

    def live() -> bool:
        report = "org.apache.hadoop.hdfs.tools.DFSAdmin"
        try:
            printed = head.ask(made.command(report, "-report", "-live"), environment, _UP_S)
        except OSError:
            return False
        return f"Live datanodes ({len(cluster.workers)})" in printed

    await_that(live, "all DataNodes of HDFS", _UP_S)
    yield made


def _settings(made: FileSystem, name: str) -> dict[str, str]:
    head = made.cluster.head
    return {
        "dfs.namenode.name.dir": str(head.folder / "names"),
        "dfs.namenode.http-address": f"{head.address}:9870",
        "dfs.namenode.datanode.registration.ip-hostname-check": "false",
        "dfs.namenode.fs-limits.min-block-size": "1048576",
        "dfs.blocksize": str(BLOCK_MB * 1024 * 1024),
        "dfs.replication": str(made.replication),
        "dfs.permissions.enabled": "false",
        "dfs.client.use.datanode.hostname": "false",
        "dfs.client.read.shortcircuit": "false",
        "dfs.datanode.directoryscan.interval": "-1",
        "hadoop.security.token.service.use_ip": "true",
        "stowage.node": name,
    }


def write_settings(path: Path, settings: Mapping[str, str]) -> None:
    """Write one of Hadoop's configuration files."""
    lines = "".join(
        f"<property><name>{escape(name)}</name><value>{escape(value)}</value></property>\n"
        for name, value in settings.items()
    )
    path.write_text(f'<?xml version="1.0"?>\n<configuration>\n{lines}</configuration>\n')
