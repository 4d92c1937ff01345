"""Mailer for the mail server in the settings."""

from stowage.platform.outside import Mailer
from stowage.settings import Settings


def mailer_of(settings: Settings) -> Mailer | None:
    """Return a mailer for the mail server in the settings; None if the settings have no mail server."""
    if settings.smtp_url is None or settings.mail_from is None:
        return None
    # Imported here, because most services send no mail.
    from stowage.api.mail import SmtpMailer

    return SmtpMailer(settings.smtp_url.get_secret_value(), settings.mail_from)
