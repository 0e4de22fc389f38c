package clients

import (
	"fmt"
	"testing"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/client-go/dynamic"
	"k8s.io/client-go/dynamic/dynamicinformer"
	"k8s.io/client-go/tools/cache"
)

var instances = schema.GroupVersionResource{Group: "management.platform.sh", Version: "v1", Resource: "virtualclusterinstances"}

func instance(name string) *unstructured.Unstructured {
	return &unstructured.Unstructured{Object: map[string]any{
		"apiVersion": "management.platform.sh/v1",
		"kind":       "VirtualClusterInstance",
		"metadata":   map[string]any{"name": name, "namespace": namespace},
		"spec":       map[string]any{"displayName": name},
	}}
}

// The informer begins with a streamed list (CLIENT-01) and must see every change once.
func TestInformerSeesEveryChangeOnce(t *testing.T) {
	ctx := deadline(t)
	client, err := dynamic.NewForConfig(config(t))
	if err != nil {
		t.Fatal(err)
	}
	objects := client.Resource(instances).Namespace(namespace)
	if _, err = objects.Create(ctx, instance("informed-0"), metav1.CreateOptions{}); err != nil {
		t.Fatal(err)
	}
	factory := dynamicinformer.NewFilteredDynamicSharedInformerFactory(client, 0, namespace, nil)
	informer := factory.ForResource(instances).Informer()
	seen := make(chan string, 100)
	_, err = informer.AddEventHandler(cache.ResourceEventHandlerFuncs{
		AddFunc:    func(object any) { seen <- "add " + object.(*unstructured.Unstructured).GetName() },
		UpdateFunc: func(_, object any) { seen <- "update " + object.(*unstructured.Unstructured).GetName() },
		DeleteFunc: func(object any) { seen <- "delete " + object.(*unstructured.Unstructured).GetName() },
	})
	if err != nil {
		t.Fatal(err)
	}
	factory.Start(ctx.Done())
	factory.WaitForCacheSync(ctx.Done())
	expected := []string{"add informed-0"}
	for i := 1; i <= 5; i++ {
		name := fmt.Sprintf("informed-%d", i)
		made, err := objects.Create(ctx, instance(name), metav1.CreateOptions{})
		if err != nil {
			t.Fatal(err)
		}
		made.SetLabels(map[string]string{"touched": "yes"})
		if _, err = objects.Update(ctx, made, metav1.UpdateOptions{}); err != nil {
			t.Fatal(err)
		}
		if err = objects.Delete(ctx, name, metav1.DeleteOptions{}); err != nil {
			t.Fatal(err)
		}
		expected = append(expected, "add "+name, "update "+name, "delete "+name)
	}
	for _, want := range expected {
		select {
		case got := <-seen:
			if got != want {
				t.Fatalf("saw %q where %q was expected", got, want)
			}
		case <-ctx.Done():
			t.Fatalf("%q was never seen", want)
		}
	}
}
