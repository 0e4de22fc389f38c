package clients

import (
	"context"

	coordinationv1 "k8s.io/api/coordination/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/client-go/dynamic"
	typedv1 "k8s.io/client-go/kubernetes/typed/coordination/v1"
)

// writable is a kind as the writers use it: they know only the metadata of its objects.
type writable interface {
	create(ctx context.Context, name string, labels map[string]string) (metav1.Object, error)
	get(ctx context.Context, name string) (metav1.Object, error)
	list(ctx context.Context) ([]metav1.Object, string, error)
	update(ctx context.Context, object metav1.Object, mark string) (metav1.Object, error)
	patch(ctx context.Context, name string, kind types.PatchType, body []byte) (metav1.Object, error)
	delete(ctx context.Context, name string, options metav1.DeleteOptions) error
}

// dynamicBuoys writes JSON, as clients of custom resources do.
type dynamicBuoys struct {
	dynamic.ResourceInterface
	buoys buoys
}

func (d dynamicBuoys) create(ctx context.Context, name string, labels map[string]string) (metav1.Object, error) {
	object := d.buoys.buoy(name)
	object.SetLabels(labels)
	return d.Create(ctx, object, metav1.CreateOptions{})
}

func (d dynamicBuoys) get(ctx context.Context, name string) (metav1.Object, error) {
	return d.Get(ctx, name, metav1.GetOptions{})
}

func (d dynamicBuoys) list(ctx context.Context) ([]metav1.Object, string, error) {
	list, err := d.List(ctx, metav1.ListOptions{})
	if err != nil {
		return nil, "", err
	}
	var objects []metav1.Object
	for i := range list.Items {
		objects = append(objects, &list.Items[i])
	}
	return objects, list.GetResourceVersion(), nil
}

func (d dynamicBuoys) update(ctx context.Context, object metav1.Object, mark string) (metav1.Object, error) {
	changed := object.(*unstructured.Unstructured).DeepCopy()
	if err := unstructured.SetNestedField(changed.Object, "mark "+mark, "spec", "displayName"); err != nil {
		return nil, err
	}
	return d.Update(ctx, changed, metav1.UpdateOptions{})
}

func (d dynamicBuoys) patch(ctx context.Context, name string, kind types.PatchType, body []byte) (metav1.Object, error) {
	return d.Patch(ctx, name, kind, body, metav1.PatchOptions{})
}

func (d dynamicBuoys) delete(ctx context.Context, name string, options metav1.DeleteOptions) error {
	return d.Delete(ctx, name, options)
}

// typedLeases writes protobuf, as clients of built-in kinds do.
type typedLeases struct{ typedv1.LeaseInterface }

func (l typedLeases) create(ctx context.Context, name string, labels map[string]string) (metav1.Object, error) {
	return l.Create(ctx, &coordinationv1.Lease{ObjectMeta: metav1.ObjectMeta{Name: name, Labels: labels}}, metav1.CreateOptions{})
}

func (l typedLeases) get(ctx context.Context, name string) (metav1.Object, error) {
	return l.Get(ctx, name, metav1.GetOptions{})
}

func (l typedLeases) list(ctx context.Context) ([]metav1.Object, string, error) {
	list, err := l.List(ctx, metav1.ListOptions{})
	if err != nil {
		return nil, "", err
	}
	var objects []metav1.Object
	for i := range list.Items {
		objects = append(objects, &list.Items[i])
	}
	return objects, list.ResourceVersion, nil
}

func (l typedLeases) update(ctx context.Context, object metav1.Object, mark string) (metav1.Object, error) {
	changed := object.(*coordinationv1.Lease).DeepCopy()
	now := metav1.NowMicro()
	changed.Spec.HolderIdentity, changed.Spec.RenewTime = &mark, &now
	return l.Update(ctx, changed, metav1.UpdateOptions{})
}

func (l typedLeases) patch(ctx context.Context, name string, kind types.PatchType, body []byte) (metav1.Object, error) {
	return l.Patch(ctx, name, kind, body, metav1.PatchOptions{})
}

func (l typedLeases) delete(ctx context.Context, name string, options metav1.DeleteOptions) error {
	return l.Delete(ctx, name, options)
}
