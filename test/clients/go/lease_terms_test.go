package clients

import (
	"context"
	"slices"
	"sync"
	"testing"
	"time"

	coordinationv1 "k8s.io/api/coordination/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// watchLease watches the lease; the returned function returns every version of it.
func watchLease(t *testing.T, ctx context.Context, namespace string) func() []coordinationv1.Lease {
	t.Helper()
	var mutex sync.Mutex
	var versions []coordinationv1.Lease
	watch, err := typed(t).CoordinationV1().Leases(namespace).Watch(ctx, metav1.ListOptions{FieldSelector: "metadata.name=" + leaseName})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(watch.Stop)
	go func() {
		for event := range watch.ResultChan() {
			if lease, is := event.Object.(*coordinationv1.Lease); is && event.Type != "DELETED" {
				mutex.Lock()
				versions = append(versions, *lease)
				mutex.Unlock()
			}
		}
	}()
	return func() []coordinationv1.Lease {
		mutex.Lock()
		defer mutex.Unlock()
		return slices.Clone(versions)
	}
}

// checkTerms verifies the terms from the lease: it changes holders only when it was released or had expired.
func checkTerms(t *testing.T, versions []coordinationv1.Lease, terms []string) {
	t.Helper()
	holders, handedOver, ranOut := 0, 0, 0
	var before *coordinationv1.Lease
	for i := range versions {
		lease := &versions[i]
		holder := *lease.Spec.HolderIdentity
		if holder != "" && (before == nil || *before.Spec.HolderIdentity != holder) {
			holders++
			if before != nil && *before.Spec.HolderIdentity == "" {
				handedOver++
			} else if before != nil {
				ranOut++
				// Candidates compare renewals by the second, so one may count from the second to last.
				free := before.Spec.RenewTime.Add(time.Duration(*before.Spec.LeaseDurationSeconds-1) * time.Second)
				if lease.Spec.AcquireTime.Time.Before(free) {
					t.Errorf("%s took the lease at %s, it was held until %s", holder, lease.Spec.AcquireTime, free)
				}
				if *lease.Spec.LeaseTransitions != *before.Spec.LeaseTransitions+1 {
					t.Errorf("transitions went from %d to %d", *before.Spec.LeaseTransitions, *lease.Spec.LeaseTransitions)
				}
			}
		}
		before = lease
	}
	if holders != len(terms) || handedOver == 0 && ranOut == 0 {
		t.Errorf("the lease had %d holders, there were %d terms", holders, len(terms))
	}
	t.Logf("%d versions of the lease, %d holders, %d times given back, %d times run out", len(versions), holders, handedOver, ranOut)
}
