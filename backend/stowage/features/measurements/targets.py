"""Targets of measurements (the measured hardware): parsing, checks against the catalog, and judgement of results."""

from collections.abc import Mapping, Sequence
from dataclasses import field
from typing import Any

from stowage.frozen import frozen
from stowage.measure.asking import missing, needs_of, wrong_with
from stowage.measure.files.strict import BadValue
from stowage.measure.judging.judgement import Judgement, judge
from stowage.measure.profiling.profiles import TargetProfile
from stowage.measure.reading import Reading
from stowage.measure.target import Target
from stowage.platform.errors import BadInput, Problem
from stowage.workloads.knowledge import Knowledge, KnowledgeSource

ANYWHERE = "us-east-1"
"""Region of results that name none: the one with the most instance types."""


@frozen
class Market:
    """Judges results by the newest catalog of each region and the team's profiles.

    Each known region is looked up once.
    """

    source: KnowledgeSource
    profiles: Sequence[TargetProfile] = ()
    """The team's profiles before the judged result."""
    _known: dict[str, Knowledge] = field(default_factory=dict, init=False)

    def of(self, target: Target) -> Knowledge:
        """Return the catalog and published profiles of a target's region.

        Raises
        ------
        BadInput
            The region is unknown.
        """
        region = target.region or ANYWHERE
        if region not in self._known:
            self._known[region] = self.source("latest", region)
        return self._known[region]

    def judge(self, reading: Reading, target: Target) -> Judgement:
        """Judge the quality of a result for a target.

        Raises
        ------
        BadInput
            The region is unknown.
        """
        knowledge = self.of(target)
        return judge(reading, target, knowledge.catalog, self.profiles, knowledge.profiles)

    def check(self, target: Target) -> None:
        """Check that the fields of a target are valid.

        Raises
        ------
        BadInput
            A field is invalid, or the region is unknown.
        """
        if wrong := self._wrong(target):
            raise BadInput(wrong)

    def problems(self, reading: Reading, target: Target) -> list[Problem]:
        """List the fields of a target that are invalid, or missing for a result.

        Paths of fields are relative to the target.
        """
        try:
            wrong = self._wrong(target)
        except BadInput as error:
            return [Problem("region", problem.message) for problem in error.problems]
        lacking = missing(target, needs_of(reading))
        return wrong + [
            Problem(need.field, f"is not said: {need.words}; accepted: {need.accepted}") for need in lacking
        ]

    def _wrong(self, target: Target) -> list[Problem]:
        return [Problem(each.field, each.message) for each in wrong_with(target, self.of(target).catalog)]


def read_target(said: Mapping[str, Any]) -> Target:
    """Parse a target as the user entered it.

    Raises
    ------
    BadInput
        A field is invalid; the path of the field is relative to the target.
    """
    try:
        return Target.from_dict(said)
    except BadValue as error:
        raise BadInput([Problem(error.field, str(error).removeprefix(f"{error.field}: "))]) from None
