"""Previews of uploads: each parsed result with its likely target (the measured hardware) and its quality."""

from collections.abc import Mapping, Sequence
from typing import Self
from uuid import UUID

from stowage.features.catalog import catalogs
from stowage.features.measurements import profiles
from stowage.features.measurements.reading_answers import metric_answers, series_answers
from stowage.features.measurements.schemas import ReadingAnswer
from stowage.features.measurements.store import measurements as measurement_store
from stowage.features.measurements.store.uploads import StagedReading
from stowage.features.measurements.stored_readings import read
from stowage.features.measurements.targets import Market
from stowage.frozen import frozen
from stowage.measure.asking import guess, missing, needs_of
from stowage.measure.judging.judgement import Judgement
from stowage.measure.reading import Reading
from stowage.measure.target import Target
from stowage.platform.database.database import Connection, Database
from stowage.platform.errors import BadInput


@frozen
class Preview:
    """Converts parsed results to API answers, with guessed targets and judgements.

    The catalog is looked up in transactions of its own.
    """

    remembered: Mapping[str, Target]
    """Target that was entered earlier for each host, by host name."""
    market: Market

    @classmethod
    def of(cls, database: Database, connection: Connection, staged: Sequence[StagedReading]) -> Self:
        """Load the team's profiles, and the targets that it entered earlier for the hosts in the results."""
        hosts = sorted({each.content["host"]["name"] for each in staged} - {None})
        found = measurement_store.remembered(connection, hosts) if hosts else {}
        before = profiles.known_before(connection) if staged else ()
        market = Market(catalogs.published_knowledge(database), before)
        return cls({host: Target.from_dict(target) for host, (target, _) in found.items()}, market)

    def answer(self, staged: StagedReading, known: UUID | None) -> ReadingAnswer:
        """Convert one result to its answer, with a guessed target and the missing fields.

        Parameters
        ----------
        known : UUID or None
            Stored measurement with the same content; None if there is no such measurement.
        """
        content = staged.content
        reading = read(content)
        guessed = guess(reading, self.remembered)
        target = guessed.target()
        needs = needs_of(reading)
        return ReadingAnswer.from_fields(
            reading,
            position=staged.position,
            member=staged.member,
            metrics=metric_answers(content["metrics"]),
            series=series_answers(content["series"], thinned=True),
            known=known,
            needs=needs,
            guess=guessed,
            judgement=self._judgement(reading, target) if not missing(target, needs) else None,
        )

    def _judgement(self, reading: Reading, target: Target) -> Judgement | None:
        try:
            return self.market.judge(reading, target)
        except BadInput:
            # The file names an unknown region: the user will be asked for one.
            return None
