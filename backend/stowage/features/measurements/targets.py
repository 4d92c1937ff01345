"""Targets of measurements (the measured hardware): parsing, checks against the catalog, and judgement of results."""

from collections.abc import Sequence
from typing import Any

from stowage.features.catalog import catalogs
from stowage.features.measurements.measure_file import ANYWHERE
from stowage.features.measurements.schemas import JudgementAnswer, TargetSection
from stowage.measure.asking import Need, missing, needs_of, wrong_with
from stowage.measure.files.strict import BadValue
from stowage.measure.judging.judgement import Judgement, judge
from stowage.measure.profiling.profiles import TargetProfile
from stowage.measure.reading import Reading
from stowage.measure.target import Target
from stowage.platform.database.database import Database
from stowage.platform.errors import BadInput, Problem
from stowage.workloads.knowledge import Knowledge


class Market:
    """Judges results by the newest catalog of each region and the team's profiles.

    Each region is looked up once.

    Parameters
    ----------
    database : Database
    profiles : sequence of TargetProfile
        The team's profiles before the judged result.
    """

    def __init__(self, database: Database, profiles: Sequence[TargetProfile] = ()) -> None:
        self._profiles = profiles
        self._source = catalogs.published_knowledge(database)
        self._known: dict[str, Knowledge] = {}

    def of(self, target: Target) -> Knowledge:
        """Return the catalog and published profiles of a target's region.

        Raises
        ------
        BadInput
            The region is unknown.
        """
        region = target.region or ANYWHERE
        if region not in self._known:
            self._known[region] = self._source("latest", region)
        return self._known[region]

    def judge(self, reading: Reading, target: Target) -> Judgement:
        """Judge the quality of a result for a target.

        Raises
        ------
        BadInput
            The region is unknown.
        """
        knowledge = self.of(target)
        return judge(reading, target, knowledge.catalog, self._profiles, knowledge.profiles)

    def problems(self, reading: Reading, target: Target) -> list[Problem]:
        """List the fields of a target that are invalid, or missing for a result.

        Paths of fields are relative to the target.
        """
        try:
            knowledge = self.of(target)
        except BadInput as error:
            return [Problem("region", problem.message) for problem in error.problems]
        wrong = [Problem(each.field, each.message) for each in wrong_with(target, knowledge.catalog)]
        lacking = missing(target, needs_of(reading))
        return wrong + [
            Problem(need.field, f"is not said: {need.words}; accepted: {need.accepted}") for need in lacking
        ]


def read_target(section: TargetSection) -> Target:
    """Parse a target as the user entered it.

    Raises
    ------
    BadInput
        A field is invalid; the path of the field is relative to the target.
    """
    try:
        return Target.from_dict(section.model_dump())
    except BadValue as error:
        raise BadInput([Problem(error.field, str(error).removeprefix(f"{error.field}: "))]) from None


def section_of(target: Target) -> TargetSection:
    """Convert a target to its API form."""
    return TargetSection.model_validate(target.to_dict())


def needs_and_gaps(reading: Reading, target: Target) -> tuple[Sequence[Need], bool]:
    """Return the fields that a result's target must have, and whether the given target has all of them."""
    needs = needs_of(reading)
    return needs, not missing(target, needs)


def written_reasons(judgement: Judgement) -> list[dict[str, Any]]:
    """Convert the reasons of a judgement to a JSON document."""
    return [reason.model_dump(mode="json") for reason in JudgementAnswer.from_fields(judgement).reasons]
