#!/bin/sh
# Creates the virtual cluster of this run and waits until it is ready. Replaces one that an earlier attempt left behind.
set -eu
: "${VIRTUAL_CLUSTER:?the name of the virtual cluster of this run}"

flotilla create "$VIRTUAL_CLUSTER" --recreate --wait --timeout "${FLOTILLA_TIMEOUT:-5m}" \
  --annotation sleepmode.platform.sh/delete-after=3600
