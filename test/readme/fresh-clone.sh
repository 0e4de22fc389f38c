#!/usr/bin/env bash
# The steps of a new user: a fresh clone, the README's start command, then its walkthrough and the first guide line by line.
set -euo pipefail
source=$(cd "$(dirname "$0")/../.." && pwd)
place=$(mktemp -d)
server=
# npm starts a shell that starts the server: all of them are one process group and end together.
end_server() {
  if [ -z "$server" ]; then return; fi
  kill -TERM -- "-$server" 2>/dev/null || true
  wait "$server" 2>/dev/null || true
  for _ in $(seq 1 120); do
    if ! kill -0 -- "-$server" 2>/dev/null; then break; fi
    pause
  done
  if kill -0 -- "-$server" 2>/dev/null; then echo 'the server did not end'; kill -KILL -- "-$server"; exit 1; fi
  server=
}
pause() { read -r -t 0.1 <> <(:) || true; }
trap 'end_server; rm -rf "$place"' EXIT

git clone --quiet "$source" "$place/flotilla"
cd "$place/flotilla"
# Logins are stored here and not in the home directory of the user who runs this.
export XDG_CONFIG_HOME="$place/config"

npm ci --silent
setsid npm start >"$place/out" 2>&1 &
server=$!
for _ in $(seq 1 1800); do
  if grep -q '^ready https://127.0.0.1:8443$' "$place/out"; then break; fi
  if ! kill -0 "$server" 2>/dev/null; then cat "$place/out"; exit 1; fi
  pause
done
grep -q '^ready https://127.0.0.1:8443$' "$place/out" || { echo 'not ready in three minutes:'; cat "$place/out"; exit 1; }
cat "$place/out"

kubectl --kubeconfig .flotilla/admin.kubeconfig get virtualclusterinstances -n platform-p-default

# Every line of the blocks under "Create your first virtual cluster" and of the guide that continues it; access keys are
# removed from the output.
guide=docs/guides/first-steps.md
sed -n '/^## Create your first virtual cluster/,/^## /p' README.md >"$place/walk.md"
sed '/^## Try the direct endpoint/,$d' "$guide" >>"$place/walk.md"
sed -n '/^```sh/,/^```/p' "$place/walk.md" | grep -v '^```' >"$place/walk.sh"
sed -n '/^```text/,/^```/p' "$place/walk.md" | grep -v '^```' >"$place/shown"
grep -q 'flotilla create demo' "$place/walk.sh"
grep -q 'flotilla import' "$place/walk.sh"
test -s "$place/shown"
bash -euxo pipefail "$place/walk.sh" 2>&1 >"$place/printed" | sed 's/flk_[0-9A-Za-z]*/flk_(cut)/g'
sed 's/flk_[0-9A-Za-z]*/flk_(cut)/g' "$place/printed"
# The output matches the docs in order, except for ages and for texts that differ between kubectl versions.
node test/readme/shown-lines.mjs "$place/shown" "$place/printed"

# "Try the direct endpoint": the server is stopped between its first block and its second, as a reader does. Jobs run as
# in a terminal (set -m), so that the last line ends the agent together with its npx wrapper.
sed -n '/^## Try the direct endpoint/,$p' "$guide" >"$place/direct.md"
sed -n '/^```text/,/^```/p' "$place/direct.md" | grep -v '^```' >"$place/shown"
awk 'BEGIN { print "set -m" } /^```sh/ { inside = 1; if (blocks++) print "stop_server"; next } /^```/ { inside = 0 } inside' "$place/direct.md" >"$place/direct.sh"
grep -q '^stop_server$' "$place/direct.sh"
test -s "$place/shown"
export server
stop_server() {
  kill -TERM -- "-$server"
  while kill -0 -- "-$server" 2>/dev/null; do read -r -t 0.1 <> <(:) || true; done
}
export -f stop_server
bash -euxo pipefail "$place/direct.sh" >"$place/printed" || { cat .flotilla/edge.log "$place/printed"; exit 1; }
cat "$place/printed"
node test/readme/shown-lines.mjs "$place/shown" "$place/printed"
for _ in $(seq 1 120); do
  if ! curl --silent --insecure --output /dev/null https://127.0.0.1:8444/livez; then break; fi
  pause
done
if curl --silent --insecure --output /dev/null https://127.0.0.1:8444/livez; then echo 'the agent did not end'; exit 1; fi

end_server
echo 'the README walk passed'
