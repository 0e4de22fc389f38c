// Command kubernetes-e2e runs tests of Kubernetes' end-to-end suite, from its published module, on a cluster without
// nodes. It differs from e2e.test only in that it selects tests by their full names and writes a result per test. The
// setup is that of e2e.test, with flags for a cluster without nodes.
//
//	kubernetes-e2e conformance                       prints the names of all conformance tests of this version
//	kubernetes-e2e list                              prints the names of all tests that this program contains
//	kubernetes-e2e run KUBECONFIG NAMES RESULTS      runs the tests named in the file NAMES, one per line
package main

import (
	"fmt"
	"os"
)

func main() {
	if err := runCommand(os.Args[1:]); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

func runCommand(arguments []string) error {
	if len(arguments) == 1 && arguments[0] == "conformance" {
		return printConformanceTests(os.Stdout)
	}
	if len(arguments) == 1 && arguments[0] == "list" {
		return printContainedTests(os.Stdout)
	}
	if len(arguments) == 4 && arguments[0] == "run" {
		return runTests(arguments[1], arguments[2], arguments[3])
	}
	return fmt.Errorf("usage: kubernetes-e2e conformance | list | run KUBECONFIG NAMES RESULTS")
}
