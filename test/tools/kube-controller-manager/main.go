// Command kube-controller-manager is the real kube-controller-manager, built from its published modules: it makes the
// pods of a StatefulSet, and ends what belongs to a namespace that is deleted.
package main

import (
	"os"

	"k8s.io/component-base/cli"
	"k8s.io/kubernetes/cmd/kube-controller-manager/app"
)

func main() {
	os.Exit(cli.Run(app.NewControllerManagerCommand()))
}
