package clients

import (
	"context"
	"fmt"
	"slices"
	"sync"
	"testing"
	"time"

	"github.com/go-logr/logr"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/util/wait"
	"k8s.io/client-go/dynamic"
	ctrl "sigs.k8s.io/controller-runtime"
)

const (
	leaseName     = "manager"
	leaseDuration = 4 * time.Second
	managedCount  = 20
)

var instances = schema.GroupVersionResource{Group: "management.platform.sh", Version: "v1", Resource: "virtualclusterinstances"}

var instanceKind = schema.GroupVersionKind{Group: instances.Group, Version: instances.Version, Kind: "VirtualClusterInstance"}

// Two managers are candidates all the time. The leader is stopped repeatedly, with and without releasing the lease, and
// a new candidate takes its place.
func TestManagersElectOneLeaderAtATime(t *testing.T) {
	t.Parallel()
	ctrl.SetLogger(logr.Discard())
	ctx, cancel := context.WithTimeout(context.Background(), churnTime(t)+3*time.Minute)
	defer cancel()
	namespace := newProject(t, "managers")
	objects := dynamicClient(t, unlimited(t)).Resource(instances).Namespace(namespace)
	election := &election{}
	terms := watchLease(t, ctx, namespace)

	standing := []*candidate{
		startCandidate(t, namespace, "manager-0", election, false),
		startCandidate(t, namespace, "manager-1", election, false),
	}
	var wrote sync.WaitGroup
	writing, stopWriting := context.WithCancel(ctx)
	wrote.Go(func() { changeNames(t, writing, objects) })

	var all []*candidate
	began, changes := time.Now(), 0
	for changes < 2 || time.Since(began) < churnTime(t) {
		leader := awaitLeader(t, ctx, standing, election)
		time.Sleep(2 * time.Second)
		leader.stop()
		if err := <-leader.done; err != nil {
			t.Errorf("%s: %v", leader.name, err)
		}
		changes++
		all = append(all, leader)
		standing = slices.DeleteFunc(standing, func(one *candidate) bool { return one == leader })
		standing = append(standing, startCandidate(t, namespace, fmt.Sprintf("manager-%d", changes+1), election, changes%2 == 0))
	}
	awaitLeader(t, ctx, standing, election)
	stopWriting()
	wrote.Wait()
	awaitSeen(t, ctx, objects)
	for _, one := range standing {
		one.stop()
		if err := <-one.done; err != nil {
			t.Errorf("%s: %v", one.name, err)
		}
	}
	all = append(all, standing...)

	for _, overlap := range election.overlaps {
		t.Error(overlap)
	}
	if len(election.terms) < changes+1 {
		t.Errorf("%d changes of the leader and %d terms: %v", changes, len(election.terms), election.terms)
	}
	var reconciles, conflicts int64
	for _, one := range all {
		if slices.Contains(election.terms, one.name) && one.reconciles.Load() == 0 {
			t.Errorf("%s led and reconciled nothing", one.name)
		}
		reconciles, conflicts = reconciles+one.reconciles.Load(), conflicts+one.conflicts.Load()
	}
	if conflicts == 0 {
		t.Error("no reconciler was ever told of a conflict")
	}
	checkTerms(t, terms(), election.terms)
	t.Logf("%d terms, %d reconciles, %d conflicts", len(election.terms), reconciles, conflicts)
}

func awaitLeader(t *testing.T, ctx context.Context, standing []*candidate, election *election) *candidate {
	t.Helper()
	var leader *candidate
	err := wait.PollUntilContextTimeout(ctx, 20*time.Millisecond, 30*time.Second, true, func(context.Context) (bool, error) {
		name := election.leader()
		at := slices.IndexFunc(standing, func(one *candidate) bool { return one.name == name })
		if at >= 0 {
			leader = standing[at]
		}
		return at >= 0, nil
	})
	if err != nil {
		t.Fatalf("nobody leads: %v", err)
	}
	return leader
}

func instance(name string) *unstructured.Unstructured {
	return &unstructured.Unstructured{Object: map[string]any{
		"apiVersion": "management.platform.sh/v1",
		"kind":       "VirtualClusterInstance",
		"metadata":   map[string]any{"name": name},
		"spec":       map[string]any{"displayName": name},
	}}
}

// changeNames creates the objects and then keeps changing them concurrently with the reconcilers: each in rotation, and
// the first one repeatedly, so that it often changes during a reconcile.
func changeNames(t *testing.T, ctx context.Context, objects dynamic.ResourceInterface) {
	for i := 0; ctx.Err() == nil; i++ {
		name := fmt.Sprintf("managed-%d", i%managedCount)
		if i < managedCount {
			object := instance(name)
			if _, err := objects.Create(context.WithoutCancel(ctx), object, metav1.CreateOptions{}); err != nil {
				t.Errorf("create: %v", err)
				return
			}
			continue
		}
		if i%4 > 0 {
			name = "managed-0"
		}
		body := fmt.Sprintf(`{"spec":{"displayName":"change %d"}}`, i)
		_, err := objects.Patch(context.WithoutCancel(ctx), name, "application/merge-patch+json", []byte(body), metav1.PatchOptions{})
		if err != nil {
			t.Errorf("patch: %v", err)
			return
		}
	}
}

// awaitSeen returns when the reconcilers have seen the current state of every object.
func awaitSeen(t *testing.T, ctx context.Context, objects dynamic.ResourceInterface) {
	t.Helper()
	unseen := -1
	err := wait.PollUntilContextTimeout(ctx, 50*time.Millisecond, 30*time.Second, true, func(ctx context.Context) (bool, error) {
		list, err := objects.List(ctx, metav1.ListOptions{})
		if err != nil {
			return false, err
		}
		unseen = managedCount - len(list.Items)
		for _, object := range list.Items {
			name, _, _ := unstructured.NestedString(object.Object, "spec", "displayName")
			if object.GetAnnotations()["seen"] != name {
				unseen++
			}
		}
		return unseen == 0, nil
	})
	if err != nil {
		t.Errorf("%d objects were not reconciled: %v", unseen, err)
	}
}
