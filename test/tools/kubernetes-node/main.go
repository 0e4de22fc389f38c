// Command kubernetes-node is the only node of a test cluster. It accepts every pod, reports it as running, and serves
// exec, attach, logs and port-forward for it with Kubernetes' own streaming packages, so that they work through a real
// kube-apiserver on a machine without a container runtime. No image is ever run: each container is a program that
// echoes its input.
package main

import (
	"context"
	"flag"
	"fmt"
	"os"
	"os/signal"
	"syscall"

	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/tools/clientcmd"
)

func main() {
	kubeconfig := flag.String("kubeconfig", "", "credentials for the cluster")
	clientAuthority := flag.String("client-ca-file", "", "who may use exec and the rest: the authority of their certificates")
	name := flag.String("name", "node", "the name of the node")
	routes := flag.String("routes", "", "a folder of files NAMESPACE.POD.PORT: the address that this port leads to; otherwise the port of this machine")
	routed := flag.Bool("ready-when-routed", false, "a container with a readiness probe is ready only while its port has a route")
	flag.Parse()

	if err := run(*kubeconfig, *clientAuthority, *name, &routeFolder{path: *routes}, *routed); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

func run(kubeconfig, clientAuthority, name string, routes *routeFolder, routed bool) error {
	ctx, stop := signal.NotifyContext(context.Background(), syscall.SIGINT, syscall.SIGTERM)
	defer stop()
	config, err := clientcmd.BuildConfigFromFlags("", kubeconfig)
	if err != nil {
		return err
	}
	config.QPS = -1
	client, err := kubernetes.NewForConfig(config)
	if err != nil {
		return err
	}
	containers := newContainers()
	port, err := serveKubelet(ctx, clientAuthority, &kubelet{containers: containers, routes: routes})
	if err != nil {
		return err
	}
	if err := register(ctx, client, name, port); err != nil {
		return err
	}
	workers := &podWorkers{client: client, node: name, containers: containers, routes: routes, routed: routed}
	if err := workers.start(ctx); err != nil {
		return err
	}
	fmt.Println("ready")
	<-ctx.Done()
	return nil
}
