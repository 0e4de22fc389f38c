#!/bin/sh
# The test. Everything in it talks to the virtual cluster: put your own in place of what is between the two lines.
set -eu
: "${VIRTUAL_CLUSTER:?the name of the virtual cluster of this run}"

flotilla connect "$VIRTUAL_CLUSTER" -- sh -eu <<'END'
kubectl create namespace under-test
kubectl create configmap settings --namespace under-test --from-literal=colour=blue
test "$(kubectl get configmap settings --namespace under-test -o 'jsonpath={.data.colour}')" = blue
END
