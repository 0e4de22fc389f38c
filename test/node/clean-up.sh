#!/usr/bin/env bash
# Waits until its standard input ends, and then stops the node of run.sh and removes everything that it created. It
# fails if something remains.
set -uo pipefail
here=$(cd "$(dirname "$0")" && pwd)
source "$here/control-groups.sh"
run=$1
trap '' INT TERM HUP
cat >/dev/null

failed=0
# The namespaces end with the first process in them, which ends with this one.
pid=$(cat "$run/pid" 2>/dev/null)
if [ -n "$pid" ]; then
  kill -KILL "$pid" 2>/dev/null
  for _ in $(seq 100); do [ -d "/proc/$pid" ] || break; sleep 0.1; done
fi
remove_groups "$(basename "$run")" || failed=1
if [ -n "${FLOTILLA_NODE_LOGS:-}" ] && [ -d "$run/log" ]; then
  mkdir -p "$FLOTILLA_NODE_LOGS" && cp "$run"/log/*.log "$FLOTILLA_NODE_LOGS"
fi
if [ -f "$run/mount-points" ]; then
  while read -r folder; do
    if [ -d "$folder" ]; then rmdir "$folder" || failed=1; fi
  done <"$run/mount-points"
fi
rm -rf "$run" || failed=1
if grep -F "$run" /proc/self/mounts >&2; then failed=1; fi
if find "$group_root" -type d -name "$(basename "$run")" | grep . >&2; then failed=1; fi
exit "$failed"
