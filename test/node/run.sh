#!/usr/bin/env bash
# Starts a Kubernetes cluster with one node of real programs on this machine, runs a command in it, and stops it:
#   run.sh COMMAND ARGUMENT...   KUBECONFIG names the cluster; the exit code is that of the command
#   run.sh --check               prints why this machine cannot run the node, and exits with 1
# The node has network, mount and process namespaces of its own. Only its control groups belong to the machine.
# FLOTILLA_TOOLS is the folder of test/tools/build.sh. With FLOTILLA_NODE_LOGS, the logs of the programs go to that folder.
set -euo pipefail
here=$(cd "$(dirname "$0")" && pwd)
export FLOTILLA_TOOLS="${FLOTILLA_TOOLS:-${XDG_CACHE_HOME:-$HOME/.cache}/flotilla-tools}"

reason=$(bash "$here/missing.sh")
if [ -n "$reason" ]; then
  printf 'the node cannot run on this machine: %s\n' "$reason" >&2
  exit 1
fi
if [ "${1:---check}" = --check ]; then exit; fi

run=$(mktemp -d "${TMPDIR:-/tmp}/flotilla-node-XXXXXX")
# The cleaner waits for the end of this process, whatever ends it: then nothing writes to the pipe any more.
exec {guard}> >(exec setsid bash "$here/clean-up.sh" "$run")
cleaner=$!
result=1
finish() {
  trap - EXIT
  exec {guard}>&-
  wait "$cleaner" || { echo 'the node left something behind; see above' >&2; result=1; }
  exit "$result"
}
trap finish EXIT
trap 'result=130; exit' INT
trap 'result=143; exit' TERM

unshare --mount --net --pid --fork --kill-child --mount-proc bash "$here/in-node.sh" "$run" "$@" {guard}>&- &
echo $! >"$run/pid"
wait $! && result=0 || result=$?
