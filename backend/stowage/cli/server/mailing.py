"""Who sends mail, as the settings say."""

from stowage.platform.outside import Mailer
from stowage.settings import Settings


def mailer_of(settings: Settings) -> Mailer | None:
    """Return the mailer for the configured server; None without one."""
    if settings.smtp_url is None or settings.mail_from is None:
        return None
    # Imported here: most services send none.
    from stowage.api.mail import SmtpMailer

    return SmtpMailer(settings.smtp_url.get_secret_value(), settings.mail_from)
