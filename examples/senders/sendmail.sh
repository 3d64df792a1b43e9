# The sendmail of Debian's package msmtp-mta, configured as in docs/senders.md.
set -e
configuration=$(mktemp)
trap 'rm -f "$configuration"' EXIT
cat > "$configuration" <<END
account default
host $SMTP_HOST
port $SMTP_PORT
from app@example.com
END
printf 'Subject: From sendmail\r\n\r\nYour code is 481516.\r\n' |
  /usr/sbin/sendmail -C "$configuration" -i "$TO"
echo sent
