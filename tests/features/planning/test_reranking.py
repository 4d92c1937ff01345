"""Reranking with a team's knowledge: no statement about limits if the framework was unknown before."""

from dataclasses import replace

from stowage.features.planning.reranking import rerank
from stowage.model.figure import given
from stowage.model.jobs.frameworks import IDEAL
from stowage.workloads.knowledge import Knowledge, packaged_knowledge
from stowage.workloads.workload_file import parse_workload

OURS = replace(IDEAL, name="ours", efficiency=given("framework.ours.efficiency", 0.4, "1"))


def calibrated(version: str, region: str) -> Knowledge:
    """Add a calibration to the packaged knowledge."""
    packaged = packaged_knowledge(version, region)
    return replace(packaged, digest="own", frameworks={**packaged.frameworks, "ours": OURS})


def test_a_calibration_that_was_not_there_before_says_nothing_of_limits() -> None:
    file = parse_workload({"workload": {"data": "10 TB", "framework": "ours"}})
    found = rerank(file, packaged_knowledge, calibrated)
    assert found is not None
    assert not found.changed
    assert found.differences == []
    assert found.winner_before == found.winner_now
    assert "limits" not in found.sentence
    assert found.sentence.startswith("The winner stays: ")


def test_it_says_so_where_limits_are_met_that_were_not() -> None:
    """A faster profile of the same name meets a deadline that the previous one did not."""
    file = parse_workload(
        {
            "workload": {"data": "10 TB", "framework": "ours"},
            "limits": {"deadline": "20 s", "max_nodes": 20},
            "assume": {"usual": "ignored"},
        }
    )
    quick = replace(OURS, efficiency=given("framework.ours.efficiency", 50.0, "1"))

    def slow(version: str, region: str) -> Knowledge:
        return calibrated(version, region)

    def fast(version: str, region: str) -> Knowledge:
        known = calibrated(version, region)
        return replace(known, digest="newer", frameworks={**known.frameworks, "ours": quick})

    found = rerank(file, slow, fast)
    assert found is not None
    assert found.winner_before is None
    assert found.winner_now is not None
    assert found.sentence.endswith("meets your limits; nothing did before.")
