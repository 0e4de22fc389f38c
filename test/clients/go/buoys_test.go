package clients

import (
	"context"
	"os"
	"testing"
	"time"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/util/wait"
	"k8s.io/client-go/dynamic"
	"k8s.io/client-go/rest"
	"k8s.io/client-go/tools/clientcmd"
)

var (
	definitions = schema.GroupVersionResource{Group: "apiextensions.k8s.io", Version: "v1", Resource: "customresourcedefinitions"}
	namespaces  = schema.GroupVersionResource{Version: "v1", Resource: "namespaces"}
)

// buoys are custom objects of the built-in cluster. No controller of the server writes to them, so every change is the
// test's own.
type buoys struct {
	schema.GroupVersionResource
	namespace string
}

// local is a configuration for the built-in cluster without client-side rate limiting.
func local(t *testing.T) *rest.Config {
	t.Helper()
	loader := &clientcmd.ClientConfigLoadingRules{ExplicitPath: os.Getenv("FLOTILLA_KUBECONFIG")}
	overrides := &clientcmd.ConfigOverrides{CurrentContext: "local"}
	loaded, err := clientcmd.NewNonInteractiveDeferredLoadingClientConfig(loader, overrides).ClientConfig()
	if err != nil {
		t.Fatal(err)
	}
	loaded.QPS = -1
	return loaded
}

// newBuoys creates the kind and a namespace for one test. The cleanup deletes both with their contents.
func newBuoys(t *testing.T, name string) buoys {
	t.Helper()
	ctx, client := deadline(t), dynamicClient(t, local(t))
	group := name + ".example.com"
	create := func(resource schema.GroupVersionResource, object map[string]any) {
		made, err := client.Resource(resource).Create(ctx, &unstructured.Unstructured{Object: object}, metav1.CreateOptions{})
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { removeWhole(t, client.Resource(resource), made.GetName()) })
	}
	create(namespaces, map[string]any{"apiVersion": "v1", "kind": "Namespace", "metadata": map[string]any{"name": name}})
	create(definitions, definition(group))
	err := wait.PollUntilContextTimeout(ctx, 20*time.Millisecond, 30*time.Second, true, func(ctx context.Context) (bool, error) {
		one, err := client.Resource(definitions).Get(ctx, "buoys."+group, metav1.GetOptions{})
		if err != nil {
			return false, err
		}
		return hasCondition(one, "Established"), nil
	})
	if err != nil {
		t.Fatalf("buoys are not established: %v", err)
	}
	return buoys{schema.GroupVersionResource{Group: group, Version: "v1", Resource: "buoys"}, name}
}

func definition(group string) map[string]any {
	object := func(properties map[string]any) map[string]any {
		return map[string]any{"type": "object", "properties": properties}
	}
	spec := object(map[string]any{"displayName": map[string]any{"type": "string"}})
	version := map[string]any{
		"name": "v1", "served": true, "storage": true,
		"schema": map[string]any{"openAPIV3Schema": object(map[string]any{"spec": spec})},
	}
	return map[string]any{
		"apiVersion": "apiextensions.k8s.io/v1",
		"kind":       "CustomResourceDefinition",
		"metadata":   map[string]any{"name": "buoys." + group},
		"spec": map[string]any{
			"group":    group,
			"scope":    "Namespaced",
			"names":    map[string]any{"plural": "buoys", "singular": "buoy", "kind": "Buoy"},
			"versions": []any{version},
		},
	}
}

func hasCondition(object *unstructured.Unstructured, wanted string) bool {
	conditions, _, _ := unstructured.NestedSlice(object.Object, "status", "conditions")
	for _, each := range conditions {
		condition, _ := each.(map[string]any)
		if condition["type"] == wanted && condition["status"] == "True" {
			return true
		}
	}
	return false
}

func removeWhole(t *testing.T, client dynamic.ResourceInterface, name string) {
	t.Helper()
	ctx := context.Background()
	if err := client.Delete(ctx, name, metav1.DeleteOptions{}); err != nil {
		t.Errorf("delete of %s: %v", name, err)
		return
	}
	err := wait.PollUntilContextTimeout(ctx, 100*time.Millisecond, 30*time.Second, true, func(ctx context.Context) (bool, error) {
		_, err := client.Get(ctx, name, metav1.GetOptions{})
		return apierrors.IsNotFound(err), nil
	})
	if err != nil {
		t.Errorf("%s does not go: %v", name, err)
	}
}

func (b buoys) client(t *testing.T) dynamic.ResourceInterface {
	t.Helper()
	return dynamicClient(t, local(t)).Resource(b.GroupVersionResource).Namespace(b.namespace)
}

func (b buoys) buoy(name string) *unstructured.Unstructured {
	return &unstructured.Unstructured{Object: map[string]any{
		"apiVersion": b.Group + "/v1",
		"kind":       "Buoy",
		"metadata":   map[string]any{"name": name},
		"spec":       map[string]any{"displayName": name},
	}}
}
