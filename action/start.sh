#!/usr/bin/env bash
# Starts the executable in the background and gives its URL and key to the steps that follow. The
# runner ends it with the job.
set -euo pipefail

folder=$(mktemp -d "$RUNNER_TEMP/mayfly-XXXXXX")
mayfly="$folder/mayfly"

case $EXECUTABLE in
  https://*)
    if [[ -z $SHA256 ]]; then
      echo '::error::sha256 is required with a URL'
      exit 1
    fi
    curl --fail --silent --show-error --location --retry 3 --output "$mayfly" "$EXECUTABLE"
    ;;
  *) cp "$EXECUTABLE" "$mayfly" ;;
esac
if [[ -n $SHA256 ]]; then echo "$SHA256  $mayfly" | sha256sum --check --quiet; fi
chmod +x "$mayfly"

export MAYFLY_HTTP_PORT=$HTTP_PORT MAYFLY_SMTP_PORT=$SMTP_PORT
cd "$folder"
nohup "$mayfly" serve >"$folder/mayfly.log" 2>&1 </dev/null &
process=$!

for ((tries = 0; tries < 150; tries++)); do
  if "$mayfly" healthcheck >/dev/null 2>&1; then break; fi
  if ! kill -0 "$process" 2>/dev/null; then break; fi
  sleep 0.2
done
if ! "$mayfly" healthcheck; then
  echo '::error::Mayfly did not start'
  cat "$folder/mayfly.log"
  exit 1
fi

url="http://127.0.0.1:$HTTP_PORT"
# The account of this machine, which has no limits.
key=$(cat "$folder/data/local-key")
echo "::add-mask::$key"
printf '%s\n' "base-url=$url" "api-key=$key" "process-id=$process" >>"$GITHUB_OUTPUT"
printf '%s\n' "MAYFLY_BASE_URL=$url" "MAYFLY_API_KEY=$key" >>"$GITHUB_ENV"
