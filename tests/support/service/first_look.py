"""The question of a visitor's first five seconds on each page, and the words in sight that answer it."""

from collections.abc import Mapping
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class FirstLook:
    """A page as its visitor sees it before scrolling."""

    question: str
    words: str
    """Regular expression that matches the text of one element in sight, at 360 and at 1440 px."""


FIRST_LOOKS: Mapping[str, FirstLook] = {
    "/": FirstLook(
        "What saving is found, and what is new?", r"a month of savings found|Which AWS cluster runs your job"
    ),
    "/plans/new": FirstLook("What should I run, and what does it cost?", r"Cheapest .*: \d+ × .* for \$"),
    "/plans": FirstLook("Which plans are saved, and what won?", r"\d+ × \w+\.\w+|A saved plan keeps its question"),
    "/plans/scenarios": FirstLook(
        "Which scenarios were compared?", r"cells, done|A sweep compares scenarios over two variables"
    ),
    "/plans/scenarios/new": FirstLook("What do I compare?", r"One workload, two variables"),
    "/catalog/instances": FirstLook("Which types are for sale?", r"Showing \d+ of [\d,]+ types in us-east-1"),
    "/catalog/volumes": FirstLook("Which volumes carry my load?", r"\d+ × gp3 .* meet the requirement for \$"),
    "/catalog/regions": FirstLook("Where is it cheapest?", r"Of \d+ regions, .* the least"),
    "/benchmarks": FirstLook(
        "What do we know ourselves?", r"You measured \d+ figures|Nothing of yours has been measured"
    ),
    "/benchmarks/runs": FirstLook("Which runs wait, run or cost?", r"A run measures disks or network|runs?\b.*\$"),
    "/benchmarks/runs/new": FirstLook("What does this measurement cost?", r"\$|AWS account"),
    "/benchmarks/upload": FirstLook("How do my results get in?", r"or drop them anywhere on this page"),
    "/benchmarks/monitored": FirstLook(
        "Which volumes are monitored?", r"Monitor an EBS volume|volumes? (is|are) monitored"
    ),
    "/benchmarks/accuracy": FirstLook("How far off are predictions?", r"published jobs are predicted within"),
    "/reports": FirstLook("What was told to whom?", r"A report is a plan, a sweep or a run|\d{4}"),
    "/reports/new": FirstLook("What do I tell others?", r"saved plan|Nothing is saved|[Cc]hoose"),
    "/settings/account": FirstLook("Who am I here, and how do I sign in?", r"[Pp]assword|sign"),
    "/settings/team": FirstLook("Who is in the team?", r"\d+ members?\. You are"),
    "/settings/price-terms": FirstLook("Which discounts apply?", r"discount"),
    "/settings/units": FirstLook("In which currency and units do I read?", r"currency"),
    "/settings/aws-accounts": FirstLook("Where may runs happen?", r"AWS account"),
    "/settings/tokens": FirstLook("Which programs act for me?", r"A token lets a program act for you"),
    "/settings/alerts": FirstLook("How am I notified?", r"[Mm]ail"),
    "/settings/audit-log": FirstLook("Who did what?", r"What was done in this team"),
}
"""By the address of the page, for every page of the navigation."""


def shown_at(page: str) -> str:
    """Return the address that shows a page with content: of the example team if a visitor of that team may see it."""
    own = page.endswith(("/new", "/upload")) or page.startswith("/settings")
    return page if own and page != "/plans/new" else f"{page}?team=example"
