#!/usr/bin/env bash
# What a newcomer does: a fresh clone, the README's start command, then its first walk line by line.
set -euo pipefail
source=$(cd "$(dirname "$0")/../.." && pwd)
place=$(mktemp -d)
server=
# npm starts a shell that starts the server: all of them are one process group, and end together.
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

npm ci --silent
setsid npm start >"$place/out" 2>&1 &
server=$!
for _ in $(seq 1 600); do
  if grep -q '^ready https://127.0.0.1:8443$' "$place/out"; then break; fi
  if ! kill -0 "$server" 2>/dev/null; then cat "$place/out"; exit 1; fi
  pause
done
grep -q '^ready https://127.0.0.1:8443$' "$place/out" || { echo 'not ready in a minute:'; cat "$place/out"; exit 1; }
cat "$place/out"

kubectl --kubeconfig .flotilla/admin.kubeconfig get virtualclusterinstances -n platform-p-default

# The blocks under "A first walk", every line of them; the key that they show is cut out of what is printed here.
sed -n '/^## A first walk/,/^## /p' README.md >"$place/walk.md"
sed -n '/^```sh/,/^```/p' "$place/walk.md" | grep -v '^```' >"$place/walk.sh"
sed -n '/^```text/,/^```/p' "$place/walk.md" | grep -v '^```' >"$place/shown"
test -s "$place/walk.sh"
test -s "$place/shown"
bash -euxo pipefail "$place/walk.sh" 2>&1 >"$place/printed" | sed 's/flk_[0-9A-Za-z]*/flk_(cut)/g'
sed 's/flk_[0-9A-Za-z]*/flk_(cut)/g' "$place/printed"
# What the README shows is what was printed, in that order; ages apart, and what versions of kubectl say differently.
node test/readme/shown-lines.mjs "$place/shown" "$place/printed"

end_server
echo 'the README walk passed'
