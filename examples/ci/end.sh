#!/bin/sh
# Deletes the virtual cluster of this run and everything in it. Does not fail if it does not exist.
set -eu
: "${VIRTUAL_CLUSTER:?the name of the virtual cluster of this run}"

flotilla delete "$VIRTUAL_CLUSTER" --wait --ignore-not-found
