"""Jobs that a framework's program of the laboratory runs: what it is asked, line by line, and what it answers."""

from dataclasses import dataclass

from bench.laboratory.cluster import Talk


@dataclass(frozen=True, slots=True)
class Asked:
    """A job of `SparkJobs` or `FlinkJobs`."""

    id: str
    kind: str
    """`sort`, `mapreduce` or `scan`."""
    source: str = ""
    """Source folder in the file system; empty if there is none."""
    target: str = ""
    """Target folder in the file system; empty if there is none."""
    partitions: int = 1
    """Of what the job makes."""
    replication: int = 1
    """Copies of the output."""
    skew: float = 0.0
    """Partitions hold what u^(1 + skew) of a uniform u gives; 0 for equal ones."""
    output_share: float = 1.0
    """Part of the records that are kept, for mapreduce."""

    def line(self) -> bytes:
        """Return the line that asks for it."""
        fields = (self.id, self.kind, self.source, self.target, self.partitions, self.replication)
        return ("\t".join(map(str, (*fields, self.skew, self.output_share))) + "\n").encode()


def answer(talk: Talk, asked: Asked) -> tuple[float, str]:
    """Run a job and return its time [s] and what else its program says.

    Raises
    ------
    OSError
        The job failed, or the program ended.
    """
    talk.questions.write(asked.line())
    talk.questions.flush()
    for line in talk.answers:
        # Libraries may print between the answers.
        number, _, said = line.decode(errors="replace").strip().partition("\t")
        if number == asked.id:
            break
    else:
        raise OSError(f"{asked.id}: the program has ended")
    took, _, rest = said.partition("\t")
    if took == "failed":
        raise OSError(f"{asked.id}: {rest}")
    return float(took), rest
