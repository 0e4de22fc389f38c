// Command flux-sync applies or deletes manifests with the packages that Flux's kustomize-controller uses.
//
//	flux-sync <kubeconfig> apply|delete <file>
//
// It prints one line per object, and returns when all objects are healthy or gone.
package main

import (
	"context"
	"fmt"
	"os"
	"strings"
	"time"

	"github.com/fluxcd/cli-utils/pkg/kstatus/polling"
	"github.com/fluxcd/pkg/ssa"
	"github.com/fluxcd/pkg/ssa/utils"
	"k8s.io/client-go/rest"
	"k8s.io/client-go/tools/clientcmd"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/client/apiutil"
)

func main() {
	if len(os.Args) != 4 {
		fail(fmt.Errorf("usage: flux-sync <kubeconfig> apply|delete <file>"))
	}
	if err := run(os.Args[1], os.Args[2], os.Args[3]); err != nil {
		fail(err)
	}
}

func fail(err error) {
	fmt.Fprintln(os.Stderr, err)
	os.Exit(1)
}

func run(kubeconfig, command, file string) error {
	manager, err := managerFor(kubeconfig)
	if err != nil {
		return err
	}
	text, err := os.ReadFile(file)
	if err != nil {
		return err
	}
	objects, err := utils.ReadObjects(strings.NewReader(string(text)))
	if err != nil {
		return err
	}
	ctx := context.Background()
	wait := ssa.WaitOptions{Interval: 100 * time.Millisecond, Timeout: time.Minute}
	if command == "delete" {
		changes, err := manager.DeleteAll(ctx, objects, ssa.DefaultDeleteOptions())
		if err != nil {
			return err
		}
		fmt.Println(changes)
		return manager.WaitForTermination(objects, wait)
	}
	changes, err := manager.ApplyAllStaged(ctx, objects, ssa.DefaultApplyOptions())
	if err != nil {
		return err
	}
	fmt.Println(changes)
	return manager.WaitForSet(changes.ToObjMetadataSet(), wait)
}

func managerFor(kubeconfig string) (*ssa.ResourceManager, error) {
	config, err := clientcmd.BuildConfigFromFlags("", kubeconfig)
	if err != nil {
		return nil, err
	}
	http, err := rest.HTTPClientFor(config)
	if err != nil {
		return nil, err
	}
	mapper, err := apiutil.NewDynamicRESTMapper(config, http)
	if err != nil {
		return nil, err
	}
	kube, err := client.New(config, client.Options{Mapper: mapper})
	if err != nil {
		return nil, err
	}
	poller := polling.NewStatusPoller(kube, mapper, polling.Options{})
	owner := ssa.Owner{Field: "kustomize-controller", Group: "kustomize.toolkit.fluxcd.io"}
	return ssa.NewResourceManager(kube, poller, owner), nil
}
