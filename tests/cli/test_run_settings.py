"""Settings of benchmark runs: polling intervals, and the service's identity at AWS."""

import pytest

from stowage.runs.pace import Pace
from stowage.settings import Settings

ARN = "arn:aws:iam::123456789012:role/service/stowage-runs"


def test_runs_go_at_their_usual_pace_unless_it_is_set(monkeypatch: pytest.MonkeyPatch) -> None:
    assert Settings().pace == Pace()
    monkeypatch.setenv("STOWAGE_RUNS_PACE", '{"look_s": 0.5, "settle_looks": 4}')
    assert Settings().pace == Pace(look_s=0.5, settle_looks=4)


@pytest.mark.parametrize(
    "bad",
    [
        '{"look": 1}',
        '{"look_s": 0}',
        '{"look_s": -1}',
        '{"look_s": "soon"}',
        '{"look_s": Infinity}',
        '{"settle_looks": 0.5}',
        '{"give_up_looks": 2.5}',
        '{"instruct_s": 100000}',
        "1",
        "slow",
    ],
)
def test_a_pace_that_cannot_be_is_refused_by_name(monkeypatch: pytest.MonkeyPatch, bad: str) -> None:
    monkeypatch.setenv("STOWAGE_RUNS_PACE", bad)
    with pytest.raises(ValueError, match=r"STOWAGE_RUNS_PACE|runs_pace"):
        Settings()


def test_who_assumes_roles_is_named_as_aws_names_people_and_roles(monkeypatch: pytest.MonkeyPatch) -> None:
    assert Settings().aws_principal is None
    monkeypatch.setenv("STOWAGE_AWS_PRINCIPAL", ARN)
    assert Settings().aws_principal == ARN
    for bad in ("*", "123456789012", f"{ARN}\nExternalId: x", "arn:aws:s3:::bucket"):
        monkeypatch.setenv("STOWAGE_AWS_PRINCIPAL", bad)
        with pytest.raises(ValueError, match="STOWAGE_AWS_PRINCIPAL"):
            Settings()
