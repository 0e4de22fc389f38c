#!/bin/sh
# Deletes the virtual cluster of this run and everything in it. That there is none is no error.
set -eu
: "${VIRTUAL_CLUSTER:?the name of the virtual cluster of this run}"

flotilla delete "$VIRTUAL_CLUSTER" --wait --ignore-not-found
