"""Requests and answers about reports: origins, content, differences, files and comments."""

from datetime import date, datetime
from typing import Annotated, Any, Literal
from uuid import UUID

from pydantic import Field, StringConstraints

from stowage.documents.difference import ReportChange
from stowage.features.planning.decided import TodayCluster
from stowage.features.planning.outlook.schemas import DrawingsAnswer, OutlookRequest
from stowage.features.reports.tables import ApprovalState, ScheduleContent, ScheduleEvery
from stowage.model.money.price import Purchase
from stowage.model.report import Report, ReportKind
from stowage.platform.described import Answer, RequestBody
from stowage.platform.written import LINE_BREAKS, plain_text

FileFormat = Literal["pdf", "xlsx", "csv", "json", "png"]
DocumentState = Literal["making", "ready", "failed"]

LONGEST_TITLE = 200
LONGEST_WORDS = 20_000
LONGEST_COMMENT = 10_000

Title = Annotated[str, StringConstraints(strip_whitespace=True, min_length=1, max_length=LONGEST_TITLE), plain_text()]


# Origins of a report


class PlanOrigin(RequestBody):
    """Origin of a report on a saved plan.

    The report shows the best options of the plan and recommends the first one.
    """

    kind: Literal["plan"]
    plan_id: UUID
    ranks: Annotated[
        list[Annotated[int, Field(ge=1, le=1_000)]],
        Field(min_length=1, max_length=5, default_factory=lambda: [1, 2, 3]),
    ]
    """Ranks in the plan's ranking, from 1; the first is the recommended one."""


class ComparisonOrigin(RequestBody):
    """Origin of a report on several saved plans, which shows their winners side by side."""

    kind: Literal["comparison"]
    plan_ids: Annotated[list[UUID], Field(min_length=2, max_length=5)]


class SweepOrigin(RequestBody):
    """Origin of a report on a computed sweep."""

    kind: Literal["sweep"]
    sweep_id: UUID


class RunOrigin(RequestBody):
    """Origin of a report on a benchmark run that has ended."""

    kind: Literal["run"]
    run_id: UUID


class ValidationOrigin(RequestBody):
    """Origin of a report on the validation, which compares every published result with its prediction."""

    kind: Literal["validation"]


ReportOrigin = Annotated[
    PlanOrigin | ComparisonOrigin | SweepOrigin | RunOrigin | ValidationOrigin, Field(discriminator="kind")
]


class NewReport(RequestBody):
    """A report to compose."""

    title: Title
    words: Annotated[str, StringConstraints(max_length=LONGEST_WORDS), plain_text(LINE_BREAKS)] = ""
    """Text of the author, at the top of the report."""
    origin: ReportOrigin
    today: TodayCluster | None = None
    """Current cluster, for plans and comparisons. By default the one saved with the plan; null leaves it out."""
    decide_by: date | None = None
    """Day by which to decide, for plans and comparisons; by default 30 days after publication."""
    outlook: OutlookRequest | None = OutlookRequest()
    """Cost outlook, for plans and comparisons; null leaves it out."""
    replaces: UUID | None = None
    """An older report, which from then on refers to this one."""


# Approval


class NewApproval(RequestBody):
    """Request for the approval of a report."""

    person_id: UUID
    """Member who is asked: another planner or owner."""


class ApprovalDecision(RequestBody):
    """Decision of the person who is asked to approve a report."""

    state: Literal["approved", "refused"]
    comment: Annotated[
        str, StringConstraints(strip_whitespace=True, max_length=LONGEST_COMMENT), plain_text(LINE_BREAKS)
    ] = ""
    """Required to refuse."""


class ApprovalAnswer(Answer):
    """Approval of a report: the newest request, and the decision on it."""

    state: ApprovalState
    requested_by: str
    """Name at the time of the request."""
    requested_at: datetime
    approver: str
    """Name at the time of the request."""
    approver_id: UUID | None
    """Member who approves or refuses; null for guests."""
    decided_at: datetime | None
    comment: str
    """Comment of the approver; empty for guests."""
    sentence: str
    """The approval in words, with name and date."""


# Scheduled sending

MOST_RECIPIENTS = 20


class NewSchedule(RequestBody):
    """Request to send a report regularly by mail."""

    every: ScheduleEvery
    content: ScheduleContent = "link"
    """`link`: a link to the page, for members; `pdf`: the PDF as an attachment, too."""
    recipients: Annotated[list[UUID], Field(min_length=1, max_length=MOST_RECIPIENTS)]
    """Members with a verified e-mail address."""


class RecipientAnswer(Answer):
    """A member who gets a report by mail."""

    person_id: UUID
    name: str


class ScheduleAnswer(Answer):
    """Scheduled sending of a report. It always sends the newest version."""

    id: UUID
    every: ScheduleEvery
    content: ScheduleContent
    recipients: list[RecipientAnswer]
    created_by: str
    next_at: datetime
    sent_at: datetime | None
    """Time of the last sending."""
    sent_report_id: UUID | None
    """Version that was sent last."""


class ScheduleListAnswer(Answer):
    """Schedules of a report, oldest first."""

    schedules: list[ScheduleAnswer]


# Content of a report


class DeployableAnswer(Answer):
    """A configuration of the report that can be deployed."""

    name: str
    file: dict[str, Any]
    """A workload file with `cluster`, as `POST /deployments` accepts it."""
    purchase: Purchase | None


class ComposedAnswer(Answer):
    """Content of a report, with its drawn charts."""

    report: Report
    drawings: dict[str, DrawingsAnswer]
    """Drawings by the key of the section, a dot and the key of the chart, as in `frontier.frontier`."""
    deployable: list[DeployableAnswer]


class ReportPreviewAnswer(ComposedAnswer):
    """A report as it would be published now; nothing is stored."""


class ReportRow(Answer):
    """Summary of a report, for display in lists."""

    id: UUID
    title: str
    sentence: str
    kind: ReportKind
    names: list[str]
    """Names of the origins at the time of publication."""
    author: str
    made_at: datetime
    replaces: UUID | None
    replaced_by: UUID | None
    """The newest report that replaces it."""
    comments: int
    since: str | None
    """Changes since its plans were answered, as a sentence; null if there are none, or a newer report replaces it."""
    approval: ApprovalState | None
    """Null if the approval was never requested."""


class ReportListAnswer(Answer):
    """Reports, newest first."""

    reports: list[ReportRow]
    next_cursor: str | None
    """Value of `cursor` for the next page."""


class ReportNameAnswer(Answer):
    """Title and date of a report that another answer refers to."""

    id: UUID
    title: str
    made_at: datetime


class DocumentsAnswer(Answer):
    """State of the files of a report, which a worker builds once."""

    state: DocumentState
    job_id: UUID | None
    done: int
    total: int
    formats: list[FileFormat]
    """Formats that can be downloaded."""
    reason: str | None
    """Reason why the other formats cannot be downloaded."""


class ReportAnswer(ComposedAnswer):
    """A published report, which never changes."""

    id: UUID
    digest: str
    """SHA-256 of the report as it is stored, which is its file `json`."""
    replaces: ReportNameAnswer | None
    replaced_by: ReportNameAnswer | None
    """The newest report that replaces it."""
    documents: DocumentsAnswer
    comments: int
    since: str | None
    """As in `ReportRow`."""
    approval: ApprovalAnswer | None
    """Null if the approval of this version was never requested."""
    approved_before: str | None
    """Approval of the version that this report replaces, in words; null if that version was not approved."""


class SharedReportAnswer(ComposedAnswer):
    """A published report as visitors with a share link see it: without comments and deployable configurations."""

    digest: str
    replaced_at: datetime | None
    """Time at which a newer report replaced it; the link does not show that report."""
    since: str | None
    """Notice that the answer may be out of date, without figures; null as in `ReportRow`."""
    documents: DocumentsAnswer
    approval: ApprovalAnswer | None


# Difference between two reports


class DifferenceAnswer(Answer):
    """Differences between two reports, in the order in which the newer report shows them."""

    old: ReportRow
    new: ReportRow
    sentence: str
    """Changes that matter to the reader: money and its cause, the winner, saving and risk."""
    counts: str
    """Number of values that changed, are new and are gone."""
    changes: list[ReportChange]


# Comments


class NewComment(RequestBody):
    """Request for a comment on a report."""

    text: Annotated[
        str, StringConstraints(strip_whitespace=True, min_length=1, max_length=LONGEST_COMMENT), plain_text(LINE_BREAKS)
    ]


class CommentAnswer(Answer):
    """A comment on a report, as plain text."""

    id: UUID
    person: str
    """Name of the author at the time of the comment."""
    own: bool
    """True if the caller wrote it."""
    removable: bool
    """True if the caller may delete it: members their own, owners any."""
    text: str
    created_at: datetime


class CommentListAnswer(Answer):
    """Comments on a report, oldest first."""

    comments: list[CommentAnswer]
    next_cursor: str | None
    """Value of `cursor` for the next page."""
