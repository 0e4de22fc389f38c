package planes

import (
	"context"
	"encoding/json"
	"fmt"
	"testing"
	"time"

	"k8s.io/apimachinery/pkg/api/equality"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/apimachinery/pkg/watch"
)

type object interface {
	metav1.Object
	runtime.Object
}

// typedClient is the common interface of the typed clients of one kind.
type typedClient[T object, L runtime.Object, A any] interface {
	Create(context.Context, T, metav1.CreateOptions) (T, error)
	Update(context.Context, T, metav1.UpdateOptions) (T, error)
	Delete(context.Context, string, metav1.DeleteOptions) error
	Get(context.Context, string, metav1.GetOptions) (T, error)
	List(context.Context, metav1.ListOptions) (L, error)
	Watch(context.Context, metav1.ListOptions) (watch.Interface, error)
	Patch(context.Context, string, types.PatchType, []byte, metav1.PatchOptions, ...string) (T, error)
	Apply(context.Context, A, metav1.ApplyOptions) (T, error)
}

type collectionClient interface {
	DeleteCollection(context.Context, metav1.DeleteOptions, metav1.ListOptions) error
}

// walk is one kind and the operations on its objects.
type walk[T object, L runtime.Object, A any] struct {
	client typedClient[T, L, A]
	// object creates a new object; its labels are set by the walk.
	object func(name string) T
	// change updates an object; hasChanged reports whether it was updated.
	change     func(T)
	hasChanged func(T) bool
	// patch is a strategic merge patch.
	patch     string
	isPatched func(T) bool
	apply     func(name string) A
	isApplied func(T) bool
	// name completes a name, for kinds that restrict names.
	name func(string) string
	// oneByOne is set for kinds without deletecollection.
	oneByOne bool
}

const walkLabel = "walk"

func (w walk[T, L, A]) run(t *testing.T, prefix string) {
	t.Parallel()
	ctx := deadline(t)
	whole := w.name
	if whole == nil {
		whole = func(name string) string { return name }
	}
	name := whole(prefix + "-one")
	selected := metav1.ListOptions{LabelSelector: walkLabel + "=" + prefix}
	labelled := func(name string) T {
		object := w.object(name)
		object.SetLabels(map[string]string{walkLabel: prefix})
		return object
	}

	empty, err := w.client.List(ctx, selected)
	must(t, "list", err)
	start, err := meta.ListAccessor(empty)
	must(t, "list", err)
	events, err := w.client.Watch(ctx, metav1.ListOptions{LabelSelector: selected.LabelSelector, ResourceVersion: start.GetResourceVersion()})
	must(t, "watch", err)
	defer events.Stop()

	made, err := w.client.Create(ctx, labelled(name), metav1.CreateOptions{})
	must(t, "create", err)
	if made.GetUID() == "" || made.GetResourceVersion() == "" || made.GetCreationTimestamp().Time.IsZero() {
		t.Fatalf("what was created lacks metadata: %+v", made)
	}
	await(t, events, watch.Added, name)
	if _, err = w.client.Create(ctx, labelled(name), metav1.CreateOptions{}); !apierrors.IsAlreadyExists(err) {
		t.Fatalf("second create: %v", err)
	}

	read := w.settled(t, ctx, name)
	if read.GetUID() != made.GetUID() {
		t.Fatalf("read %v, created %v", read.GetUID(), made.GetUID())
	}
	stale := read.DeepCopyObject().(T)
	w.change(read)
	updated, err := w.client.Update(ctx, read, metav1.UpdateOptions{})
	must(t, "update", err)
	if !w.hasChanged(updated) || updated.GetResourceVersion() == stale.GetResourceVersion() {
		t.Fatalf("not updated: %+v", updated)
	}
	await(t, events, watch.Modified, name)
	quiet := w.settled(t, ctx, name)
	same, err := w.client.Update(ctx, quiet.DeepCopyObject().(T), metav1.UpdateOptions{})
	must(t, "update that changes nothing", err)
	if !equality.Semantic.DeepEqual(same, quiet) {
		t.Fatalf("an update that changes nothing changed something: %+v and %+v", quiet, same)
	}
	w.change(stale)
	stale.SetAnnotations(map[string]string{"stale": "yes"})
	if _, err = w.client.Update(ctx, stale, metav1.UpdateOptions{}); !apierrors.IsConflict(err) {
		t.Fatalf("stale update: %v", err)
	}

	w.runPatches(t, ctx, name)
	applied, err := w.client.Apply(ctx, w.apply(name), metav1.ApplyOptions{FieldManager: "walker", Force: true})
	must(t, "apply", err)
	if !w.isApplied(applied) || applied.GetUID() != made.GetUID() {
		t.Fatalf("not applied: %+v", applied)
	}

	must(t, "delete", w.client.Delete(ctx, name, metav1.DeleteOptions{Preconditions: metav1.NewUIDPreconditions(string(made.GetUID()))}))
	await(t, events, watch.Deleted, name)
	awaitGone(t, func() error {
		_, err := w.client.Get(ctx, name, metav1.GetOptions{})
		return err
	})
	w.runCollection(t, ctx, []string{whole(prefix + "-two"), whole(prefix + "-three")}, labelled, selected)
}

// settled returns the object when the server has nothing more to write to it.
func (w walk[T, L, A]) settled(t *testing.T, ctx context.Context, name string) T {
	t.Helper()
	for {
		one, err := w.client.Get(ctx, name, metav1.GetOptions{})
		must(t, "get", err)
		time.Sleep(50 * time.Millisecond)
		two, err := w.client.Get(ctx, name, metav1.GetOptions{})
		must(t, "get", err)
		if one.GetResourceVersion() == two.GetResourceVersion() {
			if !equality.Semantic.DeepEqual(one, two) {
				t.Fatalf("read twice: %+v and %+v", one, two)
			}
			return one
		}
	}
}

func (w walk[T, L, A]) runPatches(t *testing.T, ctx context.Context, name string) {
	t.Helper()
	patched, err := w.client.Patch(ctx, name, types.StrategicMergePatchType, []byte(w.patch), metav1.PatchOptions{})
	must(t, "strategic merge patch", err)
	if !w.isPatched(patched) || !w.hasChanged(patched) {
		t.Fatalf("not patched: %+v", patched)
	}
	finalizers := func(body string) []string {
		object, err := w.client.Patch(ctx, name, types.StrategicMergePatchType, []byte(body), metav1.PatchOptions{})
		must(t, "patch of finalizers", err)
		return object.GetFinalizers()
	}
	before := fmt.Sprint(patched.GetFinalizers())
	finalizers(`{"metadata":{"finalizers":["flotilla.test/a"]}}`)
	added := finalizers(`{"metadata":{"$setElementOrder/finalizers":["flotilla.test/b","flotilla.test/a"],"finalizers":["flotilla.test/b"]}}`)
	if at := indexOf(added, "flotilla.test/b"); at < 0 || at+1 != indexOf(added, "flotilla.test/a") {
		t.Fatalf("finalizers do not merge: %v", added)
	}
	left := finalizers(`{"metadata":{"$deleteFromPrimitiveList/finalizers":["flotilla.test/a","flotilla.test/b"]}}`)
	if fmt.Sprint(left) != before {
		t.Fatalf("finalizers are left: %v, were %v", left, before)
	}
	merged, err := w.client.Patch(ctx, name, types.MergePatchType, []byte(`{"metadata":{"annotations":{"merged":"yes"}}}`), metav1.PatchOptions{})
	must(t, "merge patch", err)
	operations, err := json.Marshal([]map[string]string{{"op": "remove", "path": "/metadata/annotations/merged"}})
	must(t, "JSON patch", err)
	_, err = w.client.Patch(ctx, name, types.JSONPatchType, operations, metav1.PatchOptions{})
	must(t, "JSON patch", err)
	if merged.GetAnnotations()["merged"] != "yes" {
		t.Fatalf("not merged: %+v", merged)
	}
}

func (w walk[T, L, A]) runCollection(t *testing.T, ctx context.Context, names []string, object func(string) T, selected metav1.ListOptions) {
	t.Helper()
	for _, name := range names {
		_, err := w.client.Create(ctx, object(name), metav1.CreateOptions{})
		must(t, "create", err)
	}
	list, err := w.client.List(ctx, selected)
	must(t, "list", err)
	if count := meta.LenList(list); count != len(names) {
		t.Fatalf("%d objects are listed", count)
	}
	if collection, ok := w.client.(collectionClient); ok && !w.oneByOne {
		must(t, "deletecollection", collection.DeleteCollection(ctx, metav1.DeleteOptions{}, selected))
	} else {
		for _, name := range names {
			must(t, "delete", w.client.Delete(ctx, name, metav1.DeleteOptions{}))
		}
	}
	for _, name := range names {
		awaitGone(t, func() error {
			_, err := w.client.Get(ctx, name, metav1.GetOptions{})
			return err
		})
	}
}

// await ignores other writes of the server.
func await(t *testing.T, events watch.Interface, wanted watch.EventType, name string) {
	t.Helper()
	for patience := time.After(20 * time.Second); ; {
		select {
		case event, open := <-events.ResultChan():
			if !open {
				t.Fatalf("the watch ended before %s of %s", wanted, name)
			}
			if got, ok := event.Object.(metav1.Object); ok && event.Type == wanted && got.GetName() == name {
				return
			}
			if event.Type == watch.Error {
				t.Fatalf("the watch failed: %+v", event.Object)
			}
		case <-patience:
			t.Fatalf("no %s of %s", wanted, name)
		}
	}
}

func indexOf(list []string, wanted string) int {
	for at, each := range list {
		if each == wanted {
			return at
		}
	}
	return -1
}

func must(t *testing.T, what string, err error) {
	t.Helper()
	if err != nil {
		t.Fatalf("%s: %v", what, err)
	}
}
