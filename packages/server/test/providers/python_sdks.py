"""Sends by the Python SDKs of providers; prints what became of each call.

Arguments: the URL of the service, the key, the root URL of its listener for providers.
"""

from __future__ import annotations

import json
import os
import sys

URL, KEY, ROOT = sys.argv[1:]
FROM, TO, TEXT = "app@acme.example", "a@example.com", "Your verification code is 481516."

results: dict[str, object] = {}


def try_resend() -> None:
    import resend
    from resend.exceptions import ResendError

    resend.api_url = f"{URL}/providers/resend"
    resend.api_key = KEY
    sent = resend.Emails.send({"from": FROM, "to": [TO], "subject": "resend", "text": TEXT})
    results["resend"] = resend.Emails.get(sent["id"])["last_event"]
    try:
        resend.Emails.send({"from": FROM, "to": ["nobody"], "subject": "x", "text": TEXT})
    except ResendError as error:
        results["resend error"] = error.code


def try_sendgrid() -> None:
    from python_http_client.exceptions import BadRequestsError, UnauthorizedError
    from sendgrid import SendGridAPIClient
    from sendgrid.helpers.mail import Mail

    mail = Mail(FROM, TO, "sendgrid", plain_text_content=TEXT)
    client = SendGridAPIClient(KEY, host=f"{URL}/providers/sendgrid")
    response = client.send(mail)
    results["sendgrid"] = [response.status_code, len(response.headers["X-Message-Id"])]
    for key, to, raised in ((KEY, "nobody", BadRequestsError), ("SG.x", TO, UnauthorizedError)):
        try:
            broken = Mail(FROM, TO, "x", plain_text_content=TEXT).get()
            broken["personalizations"][0]["to"][0]["email"] = to
            SendGridAPIClient(key, host=f"{URL}/providers/sendgrid").send(broken)
        except raised as error:
            results[f"sendgrid {raised.__name__}"] = error.status_code


def try_boto3() -> None:
    import boto3

    credentials = {"aws_access_key_id": KEY, "aws_secret_access_key": KEY}
    options = {"endpoint_url": f"{URL}/providers/ses", "region_name": "us-east-1", **credentials}
    text = {"Subject": {"Data": "boto3"}, "Body": {"Text": {"Data": TEXT}}}
    v1 = boto3.client("ses", **options)
    v1.send_email(Source=FROM, Destination={"ToAddresses": [TO]}, Message=text)
    v2 = boto3.client("sesv2", **options)
    destination = {"ToAddresses": [TO]}
    v2.send_email(FromEmailAddress=FROM, Destination=destination, Content={"Simple": text})
    results["boto3"] = v2.get_account()["SendingEnabled"]
    wrong = {**options, "aws_secret_access_key": "wrong"}
    for name in ("ses", "sesv2"):
        client = boto3.client(name, **wrong)
        try:
            client.list_templates() if name == "ses" else client.list_email_templates()
        except client.exceptions.ClientError as error:
            results[f"boto3 {name}"] = error.response["Error"]["Code"]
    try:
        v1.send_templated_email(
            Source=FROM, Destination=destination, Template="none", TemplateData="{}"
        )
    except v1.exceptions.TemplateDoesNotExistException as error:
        results["boto3 template"] = error.response["Error"]["Code"]


def try_postmarker() -> None:
    from postmarker.core import PostmarkClient
    from postmarker.exceptions import ClientError

    postmarker = PostmarkClient(server_token=KEY)
    # It keeps no path.
    postmarker.root_api_url = ROOT
    sent = postmarker.emails.send(From=FROM, To=TO, Subject="postmarker", TextBody=TEXT)
    results["postmarker"] = sent["Message"]
    try:
        postmarker.emails.send(From="x", To=TO, Subject="x", TextBody=TEXT)
    except ClientError as error:
        results["postmarker error"] = error.error_code


def try_mailgun() -> None:
    from mailgun.client import Client

    client = Client(auth=("api", KEY), api_url=f"{URL}/providers/mailgun/")
    data = {"from": FROM, "to": TO, "subject": "mailgun", "text": TEXT}
    response = client.messages.create(data=data, domain="mg.acme.example")
    results["mailgun"] = response.json()["message"]
    data["to"] = "nobody"
    response = client.messages.create(data=data, domain="mg.acme.example")
    results["mailgun error"] = response.status_code


os.environ.setdefault("AWS_EC2_METADATA_DISABLED", "true")
for attempt in (try_resend, try_sendgrid, try_boto3, try_postmarker, try_mailgun):
    attempt()
print(json.dumps(results))
