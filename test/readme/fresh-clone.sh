#!/usr/bin/env bash
# What a newcomer does: a fresh clone, the README's start command, then its first walk line by line.
set -euo pipefail
source=$(cd "$(dirname "$0")/../.." && pwd)
place=$(mktemp -d)
server=
finish() {
  if [ -n "$server" ]; then kill "$server" 2>/dev/null || true; wait "$server" 2>/dev/null || true; fi
  rm -rf "$place"
}
trap finish EXIT

git clone --quiet "$source" "$place/flotilla"
cd "$place/flotilla"

npm ci --silent
npm start >"$place/out" 2>&1 &
server=$!
for _ in $(seq 1 600); do
  if grep -q '^ready https://127.0.0.1:8443$' "$place/out"; then break; fi
  if ! kill -0 "$server" 2>/dev/null; then cat "$place/out"; exit 1; fi
  read -r -t 0.1 <> <(:) || true
done
grep -q '^ready https://127.0.0.1:8443$' "$place/out" || { echo 'not ready in a minute:'; cat "$place/out"; exit 1; }
cat "$place/out"

kubectl --kubeconfig .flotilla/admin.kubeconfig get virtualclusterinstances -n platform-p-default

# The block under "A first walk", every line of it.
sed -n '/^## A first walk/,/^## /p' README.md | sed -n '/^```sh/,/^```/p' | grep -v '^```' >"$place/walk.sh"
test -s "$place/walk.sh"
bash -euxo pipefail "$place/walk.sh" 2>&1 | sed 's/flk_[0-9A-Za-z]*/flk_(cut)/g'

# npm hands the signal on; the server drains and leaves.
pkill -TERM -P "$server" || true
kill "$server" 2>/dev/null || true
wait "$server" || true
server=
echo 'the README walk passed'
