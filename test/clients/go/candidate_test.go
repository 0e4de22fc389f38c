package clients

import (
	"context"
	"fmt"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	ctrl "sigs.k8s.io/controller-runtime"
	"sigs.k8s.io/controller-runtime/pkg/cache"
	"sigs.k8s.io/controller-runtime/pkg/client"
	controllerconfig "sigs.k8s.io/controller-runtime/pkg/config"
	"sigs.k8s.io/controller-runtime/pkg/manager"
	metricsserver "sigs.k8s.io/controller-runtime/pkg/metrics/server"
)

// election records which candidate works, and whether two ever worked at the same time.
type election struct {
	mutex    sync.Mutex
	working  string
	terms    []string
	overlaps []string
}

func (e *election) begin(name string) {
	e.mutex.Lock()
	defer e.mutex.Unlock()
	if e.working != "" {
		e.overlaps = append(e.overlaps, fmt.Sprintf("%s began while %s worked", name, e.working))
	}
	e.working = name
	e.terms = append(e.terms, name)
}

func (e *election) end(name string) {
	e.mutex.Lock()
	defer e.mutex.Unlock()
	if e.working == name {
		e.working = ""
	}
}

func (e *election) leader() string {
	e.mutex.Lock()
	defer e.mutex.Unlock()
	return e.working
}

// candidate is a manager with one reconciler, which works only while its manager leads.
type candidate struct {
	client.Client
	name       string
	election   *election
	reconciles atomic.Int64
	conflicts  atomic.Int64
	stop       context.CancelFunc
	done       chan error
}

// Reconcile records the state that it has seen, with an optimistic lock on the seen version.
func (c *candidate) Reconcile(ctx context.Context, request ctrl.Request) (ctrl.Result, error) {
	c.reconciles.Add(1)
	if leader := c.election.leader(); leader != "" && leader != c.name && ctx.Err() == nil {
		c.election.mutex.Lock()
		c.election.overlaps = append(c.election.overlaps, fmt.Sprintf("%s reconciled while %s led", c.name, leader))
		c.election.mutex.Unlock()
	}
	object := &unstructured.Unstructured{}
	object.SetGroupVersionKind(instanceKind)
	if err := c.Get(ctx, request.NamespacedName, object); err != nil {
		return ctrl.Result{}, client.IgnoreNotFound(err)
	}
	wanted, _, err := unstructured.NestedString(object.Object, "spec", "displayName")
	if err != nil || object.GetAnnotations()["seen"] == wanted {
		return ctrl.Result{}, err
	}
	before := object.DeepCopy()
	object.SetAnnotations(map[string]string{"seen": wanted, "by": c.name})
	err = c.Patch(ctx, object, client.MergeFromWithOptions(before, client.MergeFromWithOptimisticLock{}))
	if apierrors.IsConflict(err) {
		c.conflicts.Add(1)
		return ctrl.Result{RequeueAfter: 20 * time.Millisecond}, nil
	}
	return ctrl.Result{}, client.IgnoreNotFound(err)
}

func startCandidate(t *testing.T, namespace, name string, election *election, release bool) *candidate {
	t.Helper()
	duration, renew, retry := leaseDuration, 3*time.Second, time.Second
	skip := true
	made, err := ctrl.NewManager(unlimited(t), ctrl.Options{
		Cache:                         cache.Options{DefaultNamespaces: map[string]cache.Config{namespace: {}}},
		LeaderElection:                true,
		LeaderElectionNamespace:       namespace,
		LeaderElectionID:              leaseName,
		LeaderElectionReleaseOnCancel: release,
		LeaseDuration:                 &duration,
		RenewDeadline:                 &renew,
		RetryPeriod:                   &retry,
		Metrics:                       metricsserver.Options{BindAddress: "0"},
		// Several managers in one process would otherwise fail on the duplicate controller name.
		Controller: controllerconfig.Controller{SkipNameValidation: &skip},
	})
	if err != nil {
		t.Fatal(err)
	}
	one := &candidate{Client: made.GetClient(), name: name, election: election, done: make(chan error, 1)}
	watched := &unstructured.Unstructured{}
	watched.SetGroupVersionKind(instanceKind)
	if err = ctrl.NewControllerManagedBy(made).Named("marks").For(watched).Complete(one); err != nil {
		t.Fatal(err)
	}
	err = made.Add(manager.RunnableFunc(func(ctx context.Context) error {
		election.begin(name)
		<-ctx.Done()
		election.end(name)
		return nil
	}))
	if err != nil {
		t.Fatal(err)
	}
	ctx, stop := context.WithCancel(context.Background())
	one.stop = stop
	go func() { one.done <- made.Start(ctx) }()
	t.Cleanup(stop)
	return one
}
