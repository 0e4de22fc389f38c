#!/bin/sh
# The test. Its commands use the virtual cluster. Replace the lines up to END with your own test.
set -eu
: "${VIRTUAL_CLUSTER:?the name of the virtual cluster of this run}"

flotilla connect "$VIRTUAL_CLUSTER" -- sh -eu <<'END'
kubectl create namespace under-test
kubectl create configmap settings --namespace under-test --from-literal=colour=blue
test "$(kubectl get configmap settings --namespace under-test -o 'jsonpath={.data.colour}')" = blue
END
