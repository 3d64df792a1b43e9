import os

import django
from django.conf import settings
from django.core.mail import send_mail

settings.configure(EMAIL_HOST=os.environ["SMTP_HOST"], EMAIL_PORT=int(os.environ["SMTP_PORT"]))
django.setup()
sent = send_mail("From Django", "Your code is 481516.", "app@example.com", [os.environ["TO"]])
print("sent:", sent, "with Django", django.__version__)
