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

url="http://127.0.0.1:$HTTP_PORT"
# The key of the local account, which has no limits.
key_file="$folder/data/local-key"

# Only this process knows the key: another program on the port does not count as the service.
is_ready() {
  [[ -s $key_file ]] && "$mayfly" healthcheck >/dev/null 2>&1 &&
    MAYFLY_API_KEY=$(cat "$key_file") "$mayfly" whoami --url "$url" >/dev/null 2>&1
}

fail() {
  echo "::error::$1"
  cat "$folder/mayfly.log"
  exit 1
}

for ((tries = 0; tries < 150; tries++)); do
  if ! kill -0 "$process" 2>/dev/null; then fail 'Mayfly did not start. The reason is in its log:'; fi
  if is_ready; then break; fi
  sleep 0.2
done
if ((tries == 150)); then
  kill "$process"
  fail 'Mayfly started, but was not ready in time. Its log:'
fi

key=$(cat "$key_file")
echo "::add-mask::$key"
printf '%s\n' "base-url=$url" "api-key=$key" "process-id=$process" >>"$GITHUB_OUTPUT"
printf '%s\n' "MAYFLY_BASE_URL=$url" "MAYFLY_API_KEY=$key" >>"$GITHUB_ENV"
