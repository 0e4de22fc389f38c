package planes

import (
	"context"
	"fmt"
	"sync/atomic"
	"testing"
	"time"

	"github.com/go-logr/logr"
	coordinationv1 "k8s.io/api/coordination/v1"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/util/wait"
	ctrl "sigs.k8s.io/controller-runtime"
	"sigs.k8s.io/controller-runtime/pkg/cache"
	"sigs.k8s.io/controller-runtime/pkg/client"
	controllerconfig "sigs.k8s.io/controller-runtime/pkg/config"
	"sigs.k8s.io/controller-runtime/pkg/controller/controllerutil"
	metricsserver "sigs.k8s.io/controller-runtime/pkg/metrics/server"
)

// shipyard maintains a config map for each boat, owned by the boat, and reports in the boat's status what it has seen.
type shipyard struct {
	client.Client
	kind       schema.GroupVersionKind
	reconciles atomic.Int64
}

func (s *shipyard) Reconcile(ctx context.Context, request ctrl.Request) (ctrl.Result, error) {
	s.reconciles.Add(1)
	boat := &unstructured.Unstructured{}
	boat.SetGroupVersionKind(s.kind)
	if err := s.Get(ctx, request.NamespacedName, boat); err != nil {
		return ctrl.Result{}, client.IgnoreNotFound(err)
	}
	masts, _, err := unstructured.NestedInt64(boat.Object, "spec", "masts")
	if err != nil {
		return ctrl.Result{}, err
	}
	papers := &corev1.ConfigMap{ObjectMeta: metav1.ObjectMeta{Namespace: boat.GetNamespace(), Name: boat.GetName() + "-papers"}}
	_, err = controllerutil.CreateOrPatch(ctx, s.Client, papers, func() error {
		papers.Data = map[string]string{"masts": fmt.Sprint(masts)}
		return controllerutil.SetControllerReference(boat, papers, s.Scheme())
	})
	if err != nil {
		return ctrl.Result{}, err
	}
	before := boat.DeepCopy()
	if err := unstructured.SetNestedField(boat.Object, masts, "status", "masts"); err != nil {
		return ctrl.Result{}, err
	}
	return ctrl.Result{}, s.Status().Patch(ctx, boat, client.MergeFrom(before))
}

func TestControllerWithAnElectedLeader(t *testing.T) {
	ctrl.SetLogger(logr.Discard())
	namespace := newNamespace(t, "shipyard")
	group := namespace + ".example.com"
	define(t, definition(group, "boats"))
	kind := schema.GroupVersionKind{Group: group, Version: "v1", Kind: "Boat"}
	direct, stopFirst := startShipyard(t, namespace, kind)
	ctx := deadline(t)

	pinta := boat(group, "pinta", 3)
	pinta.SetNamespace(namespace)
	must(t, "create", direct.Create(ctx, pinta))
	awaitMasts(t, ctx, direct, pinta, 3)
	holder := leaseOf(t, ctx, direct, namespace)

	_, stopSecond := startShipyard(t, namespace, kind)
	defer stopSecond()
	stopFirst()
	must(t, "patch", direct.Patch(ctx, pinta, client.RawPatch("application/merge-patch+json", []byte(`{"spec":{"masts":4}}`))))
	awaitMasts(t, ctx, direct, pinta, 4)
	if next := leaseOf(t, ctx, direct, namespace); next == holder || next == "" {
		t.Errorf("%q led, then %q", holder, next)
	}

	must(t, "delete", direct.Delete(ctx, pinta, client.PropagationPolicy(metav1.DeletePropagationForeground)))
	papers := &corev1.ConfigMap{}
	awaitGone(t, func() error {
		return direct.Get(ctx, client.ObjectKey{Namespace: namespace, Name: "pinta-papers"}, papers)
	})
	awaitGone(t, func() error { return direct.Get(ctx, client.ObjectKeyFromObject(pinta), pinta) })
}

// startShipyard returns a client without a cache, and a function that stops the manager.
func startShipyard(t *testing.T, namespace string, kind schema.GroupVersionKind) (client.Client, func()) {
	t.Helper()
	duration, renew, retry, skip := 4*time.Second, 3*time.Second, 500*time.Millisecond, true
	made, err := ctrl.NewManager(config(t), ctrl.Options{
		Cache:                         cache.Options{DefaultNamespaces: map[string]cache.Config{namespace: {}}},
		LeaderElection:                true,
		LeaderElectionNamespace:       namespace,
		LeaderElectionID:              "shipyard",
		LeaderElectionReleaseOnCancel: true,
		LeaseDuration:                 &duration,
		RenewDeadline:                 &renew,
		RetryPeriod:                   &retry,
		Metrics:                       metricsserver.Options{BindAddress: "0"},
		// Two managers in one process would otherwise fail on the duplicate controller name.
		Controller: controllerconfig.Controller{SkipNameValidation: &skip},
	})
	must(t, "manager", err)
	yard := &shipyard{Client: made.GetClient(), kind: kind}
	watched := &unstructured.Unstructured{}
	watched.SetGroupVersionKind(kind)
	must(t, "controller", ctrl.NewControllerManagedBy(made).Named("shipyard").For(watched).Owns(&corev1.ConfigMap{}).Complete(yard))
	ctx, stop := context.WithCancel(context.Background())
	done := make(chan error, 1)
	go func() { done <- made.Start(ctx) }()
	direct, err := client.New(config(t), client.Options{Scheme: made.GetScheme(), Mapper: made.GetRESTMapper()})
	must(t, "client", err)
	stopped := false
	return direct, func() {
		if stopped {
			return
		}
		stopped = true
		stop()
		if err := <-done; err != nil {
			t.Errorf("manager: %v", err)
		}
	}
}

func awaitMasts(t *testing.T, ctx context.Context, direct client.Client, boat *unstructured.Unstructured, wanted int64) {
	t.Helper()
	err := wait.PollUntilContextTimeout(ctx, 20*time.Millisecond, 30*time.Second, true, func(ctx context.Context) (bool, error) {
		if err := direct.Get(ctx, client.ObjectKeyFromObject(boat), boat); err != nil {
			return false, err
		}
		masts, _, err := unstructured.NestedInt64(boat.Object, "status", "masts")
		return masts == wanted, err
	})
	must(t, fmt.Sprintf("status with %d masts", wanted), err)
	papers := &corev1.ConfigMap{}
	key := client.ObjectKey{Namespace: boat.GetNamespace(), Name: boat.GetName() + "-papers"}
	must(t, "papers", direct.Get(ctx, key, papers))
	if papers.Data["masts"] != fmt.Sprint(wanted) || !metav1.IsControlledBy(papers, boat) {
		t.Errorf("unexpected papers: %+v", papers)
	}
}

func leaseOf(t *testing.T, ctx context.Context, direct client.Client, namespace string) string {
	t.Helper()
	lease := &coordinationv1.Lease{}
	must(t, "lease", direct.Get(ctx, client.ObjectKey{Namespace: namespace, Name: "shipyard"}, lease))
	if lease.Spec.HolderIdentity == nil {
		return ""
	}
	return *lease.Spec.HolderIdentity
}
