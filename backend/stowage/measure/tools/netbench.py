"""Reader of NetBench, version 1, which measures a network while all nodes send to all (SoCC 2015 paper, section 4.3).

Its output is a document of `own_bench` with ``stowage`` set to ``netbench``. ``host.nodes`` is the cluster size.

Settings: ``connections`` (to each other node), ``placement_group`` (true or false), ``bytes_per_node`` and the other
options of the run.

Result, at least one of: ``network_mb_per_s``, the mean receive rate of the nodes, and ``network_slowest_mb_per_s``, the
receive rate of the slowest node.

Tested with: the figures of the paper in this format (`stowage.measure.seeds`), and output of `stowage_worker.agent`.
"""

from stowage.measure.tools.own_bench import Form

FORM = Form(
    "netbench",
    headline=("network_mb_per_s", "network_slowest_mb_per_s"),
    metrics=frozenset(
        (
            "network_mb_per_s",
            "network_sent_mb_per_s",
            "network_slowest_mb_per_s",
            "network_latency_us",
            "network_retransmits",
        )
    ),
)

recognises, read = FORM.recognises, FORM.read
