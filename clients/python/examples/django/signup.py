"""An application that mails a code to each new user and lets them in with it."""

from __future__ import annotations

import os
import secrets

from django.contrib.auth import get_user_model
from django.core.mail import send_mail
from django.http import HttpRequest, HttpResponse
from django.urls import path


def sign_up(request: HttpRequest) -> HttpResponse:
    email, code = request.POST["email"], f"{secrets.randbelow(900_000) + 100_000}"
    get_user_model().objects.create_user(email, email, is_active=False)
    request.session.update({"email": email, "code": code})
    to = email
    if os.environ.get("FAULT") == "misaddressed":
        # A bug on purpose, to see what a test says of it: a letter is missing.
        name, _, domain = email.partition("@")
        to = f"{name[:-1]}@{domain}"
    # As many applications do: a user's page does not fail because of a mail.
    text = f"Your verification code is {code}."
    send_mail("Verify your email address", text, None, [to], fail_silently=True)
    return HttpResponse("Check your mail.")


def verify(request: HttpRequest) -> HttpResponse:
    if request.POST["code"] != request.session["code"]:
        return HttpResponse("Wrong code.", status=403)
    get_user_model().objects.filter(username=request.session["email"]).update(is_active=True)
    return HttpResponse("Welcome!")


urlpatterns = [path("signup", sign_up), path("verify", verify)]
