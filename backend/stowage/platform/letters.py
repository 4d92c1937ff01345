"""Texts and sending of mails about a team. A link that cannot be mailed is shown on the page instead."""

import logging
import re
from collections.abc import Sequence
from datetime import datetime

from stowage.frozen import frozen
from stowage.platform.outside import Attachment, Mailer, MailFailed

log = logging.getLogger(__name__)

_ADDRESS = re.compile(r"://|www\.|@|\w\.\w{2,}|/", re.IGNORECASE)
"""Text that mail programs turn into a link."""


@frozen
class Letter:
    """Subject and text of a mail."""

    subject: str
    text: str


def invitation(*, team: str, by: str, link: str, until: datetime) -> Letter:
    """Write the mail to an invited person."""
    who, where = safe_name(by, "A member"), safe_name(team, "a team")
    return Letter(
        "An invitation to a team on Stowage",
        f"{who} invites you to join {where} on Stowage. This link lets you in once, until {_moment(until)}:\n\n"
        f"{link}\n\nIf you do not know what this is about, leave it alone.\n",
    )


def verification(*, link: str) -> Letter:
    """Write the mail that verifies an address."""
    return Letter(
        "Verify your e-mail address for Stowage",
        "An account on Stowage uses this e-mail address. If it is yours, verify it with this link, which works "
        f"once, within a day:\n\n{link}\n\nIf it is not yours, ignore this mail: nothing else is sent to you.\n",
    )


def new_password(*, by: str, link: str, until: datetime) -> Letter:
    """Write the mail to a member for whom an owner requests a new password."""
    who = safe_name(by, "An owner of your team")
    return Letter(
        "A new password for Stowage",
        f"{who} asks you to set a new password for Stowage. This link lets you do it once, until {_moment(until)}:"
        f"\n\n{link}\n\nIf you did not expect this, leave it alone: your password stays as it is.\n",
    )


def change(*, team: str, words: str, link: str | None) -> Letter:
    """Write the mail about a change in a team's measurements."""
    where = safe_name(team, "your team")
    more = "" if link is None else f"\n\n{link}"
    return Letter(
        "Something you measure has changed",
        f"{words}\n\nThis was found in the measurements of {where} on Stowage.{more}\n\n"
        "An owner of the team can end these mails, on the page Settings, Alerts.\n",
    )


def plan_change(*, team: str, plan: str, words: str, link: str | None) -> Letter:
    """Write the mail about a change in the ranking of a watched plan."""
    which, where = safe_name(plan, "a plan"), safe_name(team, "your team")
    more = "" if link is None else f"\n\n{link}"
    return Letter(
        "The answer of a plan has changed",
        f"{words}\n\nThis was found by checking {which}, which {where} watches on Stowage.{more}\n\n"
        "A planner of the team can end the watch, on the page of the plan.\n",
    )


def approval_requested(*, by: str, report: str, link: str) -> Letter:
    """Write the mail to a member who is asked to approve a report."""
    return Letter(
        "A report waits for your approval",
        f"{safe_name(by, 'A member of your team')} asks you to approve the report {safe_name(report, 'of your team')} "
        f"on Stowage. Read it, and approve or refuse it there:\n\n{link}\n",
    )


def approval_decided(*, by: str, report: str, decision: str, comment: str, link: str) -> Letter:
    """Write the mail to the person who requested the approval of a report."""
    said = f"\n\n{comment}" if comment else ""
    return Letter(
        f"A report was {decision}",
        f"{safe_name(by, 'A member of your team')} {decision} the report {safe_name(report, 'that you sent')} on "
        f"Stowage.{said}\n\n{link}\n",
    )


MOST_NEWS = 20
"""Maximum number of notifications in a mail."""


def news(items: Sequence[tuple[str, str | None]]) -> Letter:
    """Write the mail that lists notifications, each with its sentence and a link, newest first."""
    listed = "\n\n".join(f"- {words}" + ("" if link is None else f"\n  {link}") for words, link in items[:MOST_NEWS])
    more = len(items) - MOST_NEWS
    rest = f"\n\nAnd {more} more in the inbox." if more > 0 else ""
    count = "1 notification" if len(items) == 1 else f"{len(items)} notifications"
    return Letter(
        f"Stowage: {count}",
        f"{listed}{rest}\n\nYou get these mails at most once an hour. Choose the kinds on the page Settings, Alerts.\n",
    )


def scheduled_report(
    *, report: str, sentence: str, version: str, approval: str, every: str, link: str | None
) -> Letter:
    """Write the mail that sends a version of a report to a member."""
    address = "" if link is None else f"\n\n{link}"
    return Letter(
        f"Report: {_shown(report)}",
        f"{_shown(report)}\n\n{sentence}\n\nVersion of {version}. {approval}{address}\n\n"
        f"You get this report every {every}, by a schedule of your team on Stowage. To stop it for you, open the "
        "report and choose “Scheduled sending”.\n",
    )


def _shown(name: str) -> str:
    """Return a title in one line, or a substitute if it looks like a web or mail address."""
    return "A report of your team" if _ADDRESS.search(name) else " ".join(name.split())


def send(mail: Mailer | None, to: str | None, letter: Letter, attached: Attachment | None = None) -> bool:
    """Send a mail, and return whether the mail server accepted it.

    Parameters
    ----------
    mail : Mailer or None
        None if the service sends no mail.
    to : str or None
        None if the person has no address.
    letter : Letter
    attached : Attachment or None
    """
    if mail is None or to is None:
        return False
    try:
        mail.send(to, letter.subject, letter.text, attached)
    except MailFailed as error:
        log.error("cannot send a mail: %s", error)  # noqa: TRY400 - it says all there is
        return False
    return True


def safe_name(name: str, otherwise: str) -> str:
    """Return a name in quotes, or a substitute if the name looks like a web or mail address.

    The substitute prevents spam.

    >>> safe_name("Ada L. Byron", "A member"), safe_name("evil.example/prize", "A member")
    ('"Ada L. Byron"', 'A member')
    """
    return otherwise if _ADDRESS.search(name) else f'"{name}"'


def _moment(moment: datetime) -> str:
    return f"{moment.day} {moment:%B %Y %H:%M} UTC"
