package clients

import (
	"context"
	"fmt"
	"strconv"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/util/wait"
	"k8s.io/client-go/tools/cache"
)

// observer is an informer and everything that it has reported.
type observer struct {
	informer cache.SharedIndexInformer
	// lists counts how often the informer relisted, watches how often it resumed.
	lists, watches atomic.Int64
	done           chan struct{}

	mutex   sync.Mutex
	entries []entry
	highest int64
	resyncs int
	fault   error
}

// startObserver starts an informer with its own connections. `tweak` may change its list options; `disturb` gets a
// function that cuts its connections.
func startObserver(t *testing.T, ctx context.Context, subject churned, tweak func(*metav1.ListOptions), disturb func(cut func())) *observer {
	t.Helper()
	loaded, dialer := ownConnections(t, subject)
	one := &observer{done: make(chan struct{})}
	one.informer = subject.informer(t, loaded, func(options *metav1.ListOptions) {
		if options.AllowWatchBookmarks && options.SendInitialEvents == nil {
			one.watches.Add(1)
		} else {
			one.lists.Add(1)
		}
		if tweak != nil {
			tweak(options)
		}
	})
	_, err := one.informer.AddEventHandler(cache.ResourceEventHandlerFuncs{
		AddFunc:    func(object any) { one.note("ADDED", object) },
		UpdateFunc: func(old, object any) { one.changed(old, object) },
		DeleteFunc: func(object any) { one.note("DELETED", object) },
	})
	if err != nil {
		t.Fatal(err)
	}
	go func() {
		defer close(one.done)
		one.informer.RunWithContext(ctx)
		dialer.CloseAll()
	}()
	if !cache.WaitForCacheSync(ctx.Done(), one.informer.HasSynced) && ctx.Err() == nil {
		t.Error("an informer never saw its first list")
	}
	if disturb != nil {
		go disturb(dialer.CloseAll)
	}
	return one
}

func (one *observer) changed(old, object any) {
	before, err := meta.Accessor(old)
	if err != nil {
		one.fail(err)
		return
	}
	after, err := meta.Accessor(object)
	if err != nil {
		one.fail(err)
		return
	}
	if before.GetResourceVersion() != after.GetResourceVersion() {
		one.note("MODIFIED", object)
		return
	}
	one.mutex.Lock()
	defer one.mutex.Unlock()
	one.resyncs++
}

func (one *observer) note(kind string, object any) {
	if tombstone, only := object.(cache.DeletedFinalStateUnknown); only {
		object, kind = tombstone.Obj, "GONE"
	}
	about, err := meta.Accessor(object)
	if err != nil {
		one.fail(err)
		return
	}
	version, err := strconv.ParseInt(about.GetResourceVersion(), 10, 64)
	if err != nil {
		one.fail(err)
		return
	}
	one.mutex.Lock()
	defer one.mutex.Unlock()
	one.highest = max(one.highest, version)
	one.entries = append(one.entries, entry{kind, about.GetName(), string(about.GetUID()), version, about.GetLabels()["parity"]})
}

func (one *observer) fail(err error) {
	one.mutex.Lock()
	defer one.mutex.Unlock()
	one.fault = err
}

// await returns when the informer has reported that version or a later one.
func (one *observer) await(t *testing.T, ctx context.Context, version int64) {
	t.Helper()
	err := wait.PollUntilContextTimeout(ctx, 20*time.Millisecond, 90*time.Second, true, func(context.Context) (bool, error) {
		one.mutex.Lock()
		defer one.mutex.Unlock()
		if one.fault != nil {
			return false, one.fault
		}
		return one.highest >= version, nil
	})
	if err != nil {
		t.Fatalf("an informer does not come to version %d: %v", version, err)
	}
}

func (one *observer) state(t *testing.T) map[string]int64 {
	t.Helper()
	state := map[string]int64{}
	for _, object := range one.informer.GetStore().List() {
		about, err := meta.Accessor(object)
		if err != nil {
			t.Fatal(err)
		}
		if state[about.GetName()], err = strconv.ParseInt(about.GetResourceVersion(), 10, 64); err != nil {
			t.Fatal(err)
		}
	}
	return state
}

// order verifies the events of each name: an object is added before it changes or goes, and never goes back in time.
func (one *observer) order() error {
	one.mutex.Lock()
	defer one.mutex.Unlock()
	present, reached := map[string]bool{}, map[string]int64{}
	for _, event := range one.entries {
		if present[event.Name] != (event.Type != "ADDED") {
			return fmt.Errorf("%+v, but it exists: %t", event, present[event.Name])
		}
		// For unseen changes the informer can only give the last version that it knew.
		if event.Version < reached[event.Name] || event.Version == reached[event.Name] && event.Type != "GONE" {
			return fmt.Errorf("%+v came after version %d", event, reached[event.Name])
		}
		present[event.Name] = event.Type != "DELETED" && event.Type != "GONE"
		reached[event.Name] = event.Version
	}
	return one.fault
}

// check compares the reported events with the log: nothing that did not happen, in order, and, if the informer never
// relisted, nothing missing.
func (one *observer) check(t *testing.T, log []entry) {
	t.Helper()
	if err := one.order(); err != nil {
		t.Error(err)
	}
	if one.lists.Load() == 1 {
		sameEntries(t, "an informer that went on", one.entries, log)
		return
	}
	happened := map[int64]string{}
	for _, event := range log {
		happened[event.Version] = event.Name
	}
	for _, event := range one.entries {
		if happened[event.Version] != event.Name {
			t.Errorf("an informer told of %+v, which never happened", event)
		}
	}
}
