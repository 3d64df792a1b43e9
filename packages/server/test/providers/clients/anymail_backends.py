"""The backends of django-anymail."""

from __future__ import annotations

from functools import partial

import django
from calls import FROM, TEXT, URL, run
from django.conf import settings
from django.core.mail import EmailMultiAlternatives, get_connection

#: The settings for the URL of each backend but that of SES, and what follows the provider's name.
URLS = {
    "sendgrid": ("SENDGRID", "sendgrid/v3/"),
    "resend": ("RESEND", "resend/"),
    "postmark": ("POSTMARK", "postmark/"),
    "mailgun": ("MAILGUN", "mailgun/v3/"),
    "brevo": ("BREVO", "brevo/v3/"),
    "mandrill": ("MANDRILL", "mandrill/api/1.0/"),
    "mailtrap": ("MAILTRAP", "mailtrap/api/"),
    "mailjet": ("MAILJET", "mailjet/v3.1/"),
    "mailersend": ("MAILERSEND", "mailersend/v1/"),
}
KEYS = {"postmark": "server_token", "mailtrap": "api_token", "mailersend": "api_token"}

settings.configure(
    ANYMAIL={
        **{f"{name}_API_URL": f"{URL}/{path}" for name, path in URLS.values()},
        "MAILGUN_SENDER_DOMAIN": "mg.acme.example",
        "MAILJET_API_KEY": "public",
    }
)
django.setup()


def send(name: str, key: str, to: str) -> str | None:
    if name == "amazon_ses":
        credentials = {"aws_access_key_id": key, "aws_secret_access_key": key}
        client = {"endpoint_url": f"{URL}/ses", "region_name": "us-east-1", **credentials}
        options = {"client_params": client}
    else:
        own = "secret_key" if name == "mailjet" else KEYS.get(name, "api_key")
        options = {own: key}
    connection = get_connection(f"anymail.backends.{name}.EmailBackend", **options)
    mail = EmailMultiAlternatives(name, TEXT, FROM, [to], connection=connection)
    mail.attach_alternative(f"<p>{TEXT}</p>", "text/html")
    mail.attach("one.txt", b"one", "text/plain")
    mail.tags = ["welcome"]
    # It refuses what a provider does not have.
    if name != "mailersend":
        mail.metadata = {"order": "7"}
    mail.send()
    [status] = mail.anymail_status.status
    if status not in ("sent", "queued"):
        return status
    assert mail.anymail_status.message_id
    return None


run({name: partial(send, name) for name in ("amazon_ses", *URLS)})
