package main

// The packages of the tests in test/conformance/upstream/tests.yaml that run.
import (
	_ "k8s.io/kubernetes/test/e2e/apimachinery"
	_ "k8s.io/kubernetes/test/e2e/auth"
	_ "k8s.io/kubernetes/test/e2e/common/node"
	_ "k8s.io/kubernetes/test/e2e/common/storage"
	_ "k8s.io/kubernetes/test/e2e/dra"
	_ "k8s.io/kubernetes/test/e2e/instrumentation"
	_ "k8s.io/kubernetes/test/e2e/kubectl"
	_ "k8s.io/kubernetes/test/e2e/network"
	_ "k8s.io/kubernetes/test/e2e/node"
	_ "k8s.io/kubernetes/test/e2e/scheduling"
	_ "k8s.io/kubernetes/test/e2e/storage"

	// Sets up the cluster before the first test, as in e2e.test.
	_ "k8s.io/kubernetes/test/e2e"
	// Defines the labels of tests, which the framework checks before it runs any.
	_ "k8s.io/kubernetes/test/e2e/feature"
	// Prints objects in failure messages as YAML.
	_ "k8s.io/kubernetes/test/utils/format"
)
