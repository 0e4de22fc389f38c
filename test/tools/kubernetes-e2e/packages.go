package main

// The packages of the tests in test/conformance/upstream/tests.yaml that run.
import (
	_ "k8s.io/kubernetes/test/e2e/apimachinery"
	_ "k8s.io/kubernetes/test/e2e/auth"
	_ "k8s.io/kubernetes/test/e2e/common/node"
	_ "k8s.io/kubernetes/test/e2e/instrumentation"
	_ "k8s.io/kubernetes/test/e2e/kubectl"

	// Defines the labels of tests, which the framework checks before it runs any.
	_ "k8s.io/kubernetes/test/e2e/feature"
	// Prints objects in failure messages as YAML.
	_ "k8s.io/kubernetes/test/utils/format"
)
