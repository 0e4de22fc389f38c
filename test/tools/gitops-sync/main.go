// Command gitops-sync synchronizes a cluster with a folder of manifests, with the engine of Argo CD.
//
//	gitops-sync <kubeconfig> <folder> <argocd-cm.yaml>
//
// It reads one line from its input before each synchronization, prunes objects whose manifests are gone, and prints for
// each object the result and, after the synchronization, its health. The health checks are those of the ConfigMap.
package main

import (
	"bufio"
	"context"
	"fmt"
	"os"
	"path/filepath"
	"sort"
	"time"

	"github.com/argoproj/argo-cd/gitops-engine/pkg/cache"
	"github.com/argoproj/argo-cd/gitops-engine/pkg/engine"
	"github.com/argoproj/argo-cd/gitops-engine/pkg/health"
	"github.com/argoproj/argo-cd/gitops-engine/pkg/sync"
	"github.com/argoproj/argo-cd/gitops-engine/pkg/utils/kube"
	"github.com/go-logr/logr"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/client-go/tools/clientcmd"
)

const (
	mark    = "gitops-sync.flotilla.test/managed"
	timeout = time.Minute
)

func main() {
	if len(os.Args) != 4 {
		fail(fmt.Errorf("usage: gitops-sync <kubeconfig> <folder> <argocd-cm.yaml>"))
	}
	if err := run(os.Args[1], os.Args[2], os.Args[3]); err != nil {
		fail(err)
	}
}

func fail(err error) {
	fmt.Fprintln(os.Stderr, err)
	os.Exit(1)
}

func run(kubeconfig, folder, settings string) error {
	config, err := clientcmd.BuildConfigFromFlags("", kubeconfig)
	if err != nil {
		return err
	}
	checks, err := readHealthChecks(settings)
	if err != nil {
		return err
	}
	clusterCache := cache.NewClusterCache(config, cache.SetLogr(logr.Discard()),
		cache.SetPopulateResourceInfoHandler(func(object *unstructured.Unstructured, _ bool) (any, bool) {
			isManaged := object.GetAnnotations()[mark] != ""
			return isManaged, isManaged
		}))
	gitOps := engine.NewEngine(config, clusterCache, engine.WithLogr(logr.Discard()))
	stop, err := gitOps.Run()
	if err != nil {
		return err
	}
	defer stop()
	for lines := bufio.NewScanner(os.Stdin); lines.Scan(); {
		if err := synchronize(gitOps, clusterCache, folder, checks); err != nil {
			return err
		}
		fmt.Println("done")
	}
	return nil
}

func isManaged(resource *cache.Resource) bool {
	managed, _ := resource.Info.(bool)
	return managed
}

func synchronize(gitOps engine.GitOpsEngine, clusterCache cache.ClusterCache, folder string, checks healthChecks) error {
	objects, err := readManifests(folder)
	if err != nil {
		return err
	}
	ctx, cancel := context.WithTimeout(context.Background(), timeout)
	defer cancel()
	results, err := gitOps.Sync(ctx, objects, isManaged, "revision", "", sync.WithPrune(true),
		sync.WithServerSideApply(true), sync.WithServerSideApplyManager("argocd-controller"), sync.WithHealthOverride(checks), sync.WithLogr(logr.Discard()))
	if err != nil {
		return err
	}
	for _, result := range results {
		fmt.Printf("%s %s: %s\n", result.Status, result.ResourceKey.String(), result.Message)
	}
	return reportHealth(ctx, clusterCache, objects, checks)
}

// reportHealth prints the health of all objects as soon as each of them is healthy.
func reportHealth(ctx context.Context, clusterCache cache.ClusterCache, objects []*unstructured.Unstructured, checks healthChecks) error {
	for {
		live, err := clusterCache.GetManagedLiveObjs(objects, isManaged)
		if err != nil {
			return err
		}
		lines, isHealthy := []string{}, true
		for key, object := range live {
			status, err := health.GetResourceHealth(object, checks)
			if err != nil {
				return err
			}
			if status == nil {
				continue
			}
			lines = append(lines, fmt.Sprintf("%s %s: %s", status.Status, key.String(), status.Message))
			isHealthy = isHealthy && status.Status == health.HealthStatusHealthy
		}
		if isHealthy || ctx.Err() != nil {
			sort.Strings(lines)
			for _, line := range lines {
				fmt.Println(line)
			}
			return ctx.Err()
		}
		time.Sleep(50 * time.Millisecond)
	}
}

func readManifests(folder string) ([]*unstructured.Unstructured, error) {
	files, err := filepath.Glob(filepath.Join(folder, "*.yaml"))
	if err != nil {
		return nil, err
	}
	var objects []*unstructured.Unstructured
	for _, file := range files {
		text, err := os.ReadFile(file)
		if err != nil {
			return nil, err
		}
		parsed, err := kube.SplitYAML(text)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", file, err)
		}
		objects = append(objects, parsed...)
	}
	for _, object := range objects {
		annotations := object.GetAnnotations()
		if annotations == nil {
			annotations = map[string]string{}
		}
		annotations[mark] = "true"
		object.SetAnnotations(annotations)
	}
	return objects, nil
}
