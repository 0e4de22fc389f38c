package clients

import (
	"fmt"
	"testing"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/client-go/dynamic/dynamicinformer"
	"k8s.io/client-go/tools/cache"
)

// The informer starts with a streamed list (CLIENT-01) and must see every change once.
func TestInformerSeesEveryChangeOnce(t *testing.T) {
	ctx := deadline(t)
	subject := newBuoys(t, "informed")
	objects := subject.client(t)
	if _, err := objects.Create(ctx, subject.buoy("informed-0"), metav1.CreateOptions{}); err != nil {
		t.Fatal(err)
	}
	factory := dynamicinformer.NewFilteredDynamicSharedInformerFactory(dynamicClient(t, local(t)), 0, subject.namespace, nil)
	informer := factory.ForResource(subject.GroupVersionResource).Informer()
	seen := make(chan string, 100)
	_, err := informer.AddEventHandler(cache.ResourceEventHandlerFuncs{
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
		made, err := objects.Create(ctx, subject.buoy(name), metav1.CreateOptions{})
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

// The server writes to an instance until it is Ready; an informer follows it until then, and until it is deleted.
func TestInformerSeesAnInstanceBecomeReady(t *testing.T) {
	ctx := deadline(t)
	client := dynamicClient(t, unlimited(t))
	factory := dynamicinformer.NewFilteredDynamicSharedInformerFactory(client, 0, namespace, nil)
	informer := factory.ForResource(instances).Informer()
	seen := make(chan string, 100)
	note := func(object any) {
		phase, _, _ := unstructured.NestedString(object.(*unstructured.Unstructured).Object, "status", "phase")
		if phase == "Ready" {
			seen <- "ready"
		}
	}
	_, err := informer.AddEventHandler(cache.ResourceEventHandlerFuncs{
		AddFunc:    note,
		UpdateFunc: func(_, object any) { note(object) },
		DeleteFunc: func(any) { seen <- "gone" },
	})
	if err != nil {
		t.Fatal(err)
	}
	factory.Start(ctx.Done())
	factory.WaitForCacheSync(ctx.Done())
	objects := client.Resource(instances).Namespace(namespace)
	if _, err = objects.Create(ctx, instance("followed"), metav1.CreateOptions{}); err != nil {
		t.Fatal(err)
	}
	await := func(wanted string) {
		t.Helper()
		for {
			select {
			case got := <-seen:
				if got == wanted {
					return
				}
			case <-ctx.Done():
				t.Fatalf("the instance was never seen %s", wanted)
			}
		}
	}
	await("ready")
	if err = objects.Delete(ctx, "followed", metav1.DeleteOptions{}); err != nil {
		t.Fatal(err)
	}
	await("gone")
}
