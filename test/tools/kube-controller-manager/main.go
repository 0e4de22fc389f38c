// Command kube-controller-manager is the real kube-controller-manager, built from its published modules: it creates the
// pods of a StatefulSet and deletes the contents of a deleted namespace.
package main

import (
	"os"

	"k8s.io/component-base/cli"
	"k8s.io/kubernetes/cmd/kube-controller-manager/app"
)

func main() {
	os.Exit(cli.Run(app.NewControllerManagerCommand()))
}
