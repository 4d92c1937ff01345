"""Who sends mail, as the settings say."""

from stowage.platform.outside import Mailer
from stowage.settings import Settings


def mailer_of(settings: Settings) -> Mailer | None:
    """Return what hands mail to the server that is set; None where none is."""
    if settings.smtp_url is None or settings.mail_from is None:
        return None
    # Imported here: most services send none.
    from stowage.api.mail import SmtpMailer

    return SmtpMailer(settings.smtp_url.get_secret_value(), settings.mail_from)
