#!/bin/sh
# Logs in with the token that the CI system gives this job. Does nothing if the job has an access key.
set -eu
: "${FLOTILLA_URL:?the URL of the server}"

if [ -z "${FLOTILLA_ACCESS_KEY:-}" ]; then flotilla login "$FLOTILLA_URL" --workload-identity; fi
