"""The SDKs of providers for Python."""

from __future__ import annotations

import base64
import os
from email.message import EmailMessage

import boto3
import brevo
import mailchimp_transactional
import mailersend
import mailjet_rest
import mailtrap
import requests
import resend
import sendgrid
from calls import FROM, ROOT, TEXT, URL, run
from mailgun.client import Client as Mailgun
from postmarker.core import PostmarkClient
from sendgrid.helpers.mail import Attachment, Mail

FILE = base64.b64encode(b"one").decode()
os.environ["AWS_EC2_METADATA_DISABLED"] = "true"


def by_resend(key: str, to: str) -> None:
    resend.api_url, resend.api_key = f"{URL}/resend", key
    attachments = [{"filename": "one.txt", "content": FILE}]
    mail = {"from": FROM, "to": [to], "subject": "resend", "text": TEXT}
    sent = resend.Emails.send({**mail, "attachments": attachments})
    assert resend.Emails.get(sent["id"])["last_event"] == "delivered"


def by_sendgrid(key: str, to: str) -> None:
    mail = Mail(FROM, "a@example.com", "sendgrid", plain_text_content=TEXT)
    mail.attachment = Attachment(FILE, "one.txt", "text/plain", "attachment")
    body = mail.get()
    # Its own class for addresses refuses them before they are sent.
    body["personalizations"][0]["to"][0]["email"] = to
    response = sendgrid.SendGridAPIClient(key, host=f"{URL}/sendgrid").send(body)
    assert len(response.headers["X-Message-Id"]) == 22


def ses(name: str, key: str):
    credentials = {"aws_access_key_id": key, "aws_secret_access_key": key}
    return boto3.client(name, endpoint_url=f"{URL}/ses", region_name="us-east-1", **credentials)


def by_ses_v1(key: str, to: str) -> None:
    mail = EmailMessage()
    mail["From"], mail["To"], mail["Subject"] = FROM, to, "boto3 ses"
    mail.set_content(TEXT)
    mail.add_attachment(b"one", maintype="text", subtype="plain", filename="one.txt")
    client = ses("ses", key)
    client.send_raw_email(Source=FROM, Destinations=[to], RawMessage={"Data": mail.as_bytes()})


def by_ses_v2(key: str, to: str) -> None:
    content = {
        "Subject": {"Data": "boto3 sesv2"},
        "Body": {"Text": {"Data": TEXT}},
        "Attachments": [{"FileName": "one.txt", "RawContent": b"one"}],
    }
    ses("sesv2", key).send_email(
        FromEmailAddress=FROM, Destination={"ToAddresses": [to]}, Content={"Simple": content}
    )


def by_ses_template(key: str, to: str) -> None:
    ses("ses", key).send_templated_email(
        Source=FROM, Destination={"ToAddresses": [to]}, Template="none", TemplateData="{}"
    )


def by_postmarker(key: str, to: str) -> None:
    client = PostmarkClient(server_token=key)
    # It keeps no path.
    client.root_api_url = ROOT
    attachments = [("one.txt", FILE, "text/plain")]
    mail = {"From": FROM, "To": to, "Subject": "postmarker", "TextBody": TEXT}
    assert client.emails.send(**mail, Attachments=attachments)["Message"] == "OK"


def by_mailgun(key: str, to: str) -> str | None:
    client = Mailgun(auth=("api", key), api_url=f"{URL}/mailgun/")
    data = {"from": FROM, "to": to, "subject": "mailgun", "text": TEXT}
    files = [("attachment", ("one.txt", b"one"))]
    response = client.messages.create(data=data, files=files, domain="mg.acme.example")
    # It raises nothing.
    return None if response.status_code == requests.codes.ok else str(response.status_code)


def by_mailtrap(key: str, to: str) -> None:
    # It speaks TLS alone.
    client = mailtrap.MailtrapClient(token=key, api_host=ROOT.removeprefix("https://"))
    file = mailtrap.Attachment(content=FILE.encode(), filename="one.txt")
    mail = mailtrap.Mail(
        sender=mailtrap.Address(email=FROM),
        to=[mailtrap.Address(email=to)],
        subject="mailtrap",
        text=TEXT,
        attachments=[file],
    )
    assert client.send(mail)["success"]


def by_brevo(key: str, to: str) -> None:
    client = brevo.Brevo(api_key=key, base_url=f"{URL}/brevo/v3")
    client.transactional_emails.send_transac_email(
        sender={"email": FROM},
        to=[{"email": to}],
        subject="brevo",
        text_content=TEXT,
        attachment=[{"name": "one.txt", "content": FILE}],
    )


def by_mandrill(key: str, to: str) -> str | None:
    client = mailchimp_transactional.Client(key)
    client.api_client.host = f"{URL}/mandrill/api/1.0"
    file = {"type": "text/plain", "name": "one.txt", "content": FILE}
    message = {"from_email": FROM, "to": [{"email": to}], "subject": "mandrill", "text": TEXT}
    [sent] = client.messages.send({"message": {**message, "attachments": [file]}})
    return None if sent["status"] == "sent" else sent["status"]


def by_mailjet(key: str, to: str) -> str | None:
    client = mailjet_rest.Client(auth=("public", key), version="v3.1", api_url=f"{URL}/mailjet/")
    file = {"ContentType": "text/plain", "Filename": "one.txt", "Base64Content": FILE}
    message = {"From": {"Email": FROM}, "To": [{"Email": to}], "Subject": "mailjet"}
    response = client.send.create(
        data={"Messages": [{**message, "TextPart": TEXT, "Attachments": [file]}]}
    )
    return None if response.status_code == requests.codes.ok else str(response.status_code)


def by_mailersend(key: str, to: str) -> None:
    client = mailersend.MailerSendClient(api_key=key, base_url=f"{URL}/mailersend/v1/")
    email = (
        mailersend.EmailBuilder()
        .from_email(FROM, "Acme")
        .to(to)
        .subject("mailersend")
        .text(TEXT)
        .attach_content(b"one", "one.txt")
        .build()
    )
    client.emails.send(email)


run(
    {
        "resend": by_resend,
        "sendgrid": by_sendgrid,
        "boto3 ses": by_ses_v1,
        "boto3 sesv2": by_ses_v2,
        "boto3 template": by_ses_template,
        "postmarker": by_postmarker,
        "mailgun": by_mailgun,
        "mailtrap": by_mailtrap,
        "brevo": by_brevo,
        "mandrill": by_mandrill,
        "mailjet": by_mailjet,
        "mailersend": by_mailersend,
    }
)
