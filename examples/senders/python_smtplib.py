import os
import smtplib
from email.message import EmailMessage

message = EmailMessage()
message["From"] = "App <app@example.com>"
message["To"] = os.environ["TO"]
message["Subject"] = "From smtplib"
message.set_content("Your code is 481516.")
with smtplib.SMTP(os.environ["SMTP_HOST"], int(os.environ["SMTP_PORT"])) as smtp:
    print("refused:", smtp.send_message(message))
