"""The backends of django-anymail."""

from __future__ import annotations

import sys
from functools import partial

import django
from calls import FROM, TEXT, run
from django.conf import settings
from django.core.mail import EmailMultiAlternatives, get_connection

#: The backends, with the name of the setting for the key.
KEYS = {
    "amazon_ses": "",
    "sendgrid": "api_key",
    "resend": "api_key",
    "postmark": "server_token",
    "mailgun": "api_key",
    "brevo": "api_key",
    "mandrill": "api_key",
    "mailtrap": "api_token",
    "mailjet": "secret_key",
    "mailersend": "api_token",
}

# The settings of docs/providers.md.
documented = {}
exec(sys.argv[1], documented)
ANYMAIL = documented["ANYMAIL"]
settings.configure(
    ANYMAIL={**ANYMAIL, "MAILGUN_SENDER_DOMAIN": "mg.acme.example", "MAILJET_API_KEY": "any"}
)
django.setup()


def send(name: str, key: str, to: str) -> str | None:
    options = {KEYS[name]: key}
    if name == "amazon_ses":
        credentials = {"aws_access_key_id": key, "aws_secret_access_key": key}
        client = {**ANYMAIL["AMAZON_SES_CLIENT_PARAMS"], **credentials}
        options = {"client_params": {"region_name": "us-east-1", **client}}
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


run({name: partial(send, name) for name in KEYS})
