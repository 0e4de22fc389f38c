package clients

import (
	"context"
	"errors"
	"fmt"
	"net"
	"strconv"
	"sync/atomic"
	"testing"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/util/wait"
	"k8s.io/client-go/dynamic/dynamicinformer"
	"k8s.io/client-go/informers"
	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/rest"
	"k8s.io/client-go/tools/cache"
	"k8s.io/client-go/util/connrotation"
)

// The writers: enough to collide, on few enough names that most operations race.
const (
	writerCount = 4
	nameCount   = 12
)

// lastName is the object that is created last; an observer that has seen it has seen everything.
const lastName = "the-end"

// churned is a kind under churn: its owner, its writer, its watch path and its informer.
type churned struct {
	config   func(t *testing.T) *rest.Config
	kind     writable
	path     string
	informer func(t *testing.T, loaded *rest.Config, tweak func(*metav1.ListOptions)) cache.SharedIndexInformer
}

func TestChurnOfCustomObjectsWithTheDynamicClient(t *testing.T) {
	t.Parallel()
	subject := newBuoys(t, "churn-dynamic")
	churn(t, churned{
		config: local,
		kind:   dynamicBuoys{subject.client(t), subject},
		path:   fmt.Sprintf("/apis/%s/v1/namespaces/%s/buoys", subject.Group, subject.namespace),
		informer: func(t *testing.T, loaded *rest.Config, tweak func(*metav1.ListOptions)) cache.SharedIndexInformer {
			factory := dynamicinformer.NewFilteredDynamicSharedInformerFactory(dynamicClient(t, loaded), time.Second, subject.namespace, tweak)
			return factory.ForResource(subject.GroupVersionResource).Informer()
		},
	})
}

func TestChurnOfLeasesWithTheTypedClient(t *testing.T) {
	t.Parallel()
	namespace := newProject(t, "churn-typed")
	typedClient := func(t *testing.T, loaded *rest.Config) *kubernetes.Clientset {
		t.Helper()
		loaded.ContentType = "application/vnd.kubernetes.protobuf"
		loaded.AcceptContentTypes = "application/vnd.kubernetes.protobuf,application/json"
		client, err := kubernetes.NewForConfig(loaded)
		if err != nil {
			t.Fatal(err)
		}
		return client
	}
	churn(t, churned{
		config: unlimited,
		kind:   typedLeases{typedClient(t, unlimited(t)).CoordinationV1().Leases(namespace)},
		path:   fmt.Sprintf("/apis/coordination.k8s.io/v1/namespaces/%s/leases", namespace),
		informer: func(t *testing.T, loaded *rest.Config, tweak func(*metav1.ListOptions)) cache.SharedIndexInformer {
			factory := informers.NewSharedInformerFactoryWithOptions(typedClient(t, loaded), time.Second,
				informers.WithNamespace(namespace), informers.WithTweakListOptions(tweak))
			return factory.Coordination().V1().Leases().Informer()
		},
	})
}

// ownConnections returns a configuration with unshared connections that can be cut.
func ownConnections(t *testing.T, subject churned) (*rest.Config, *connrotation.Dialer) {
	t.Helper()
	loaded := subject.config(t)
	dialer := connrotation.NewDialer((&net.Dialer{Timeout: 10 * time.Second}).DialContext)
	loaded.Dial = dialer.DialContext
	return loaded, dialer
}

// churn starts from an empty collection, so that every log and every informer can be verified from the first event on.
func churn(t *testing.T, subject churned) {
	ctx, cancel := context.WithTimeout(context.Background(), churnTime(t)+3*time.Minute)
	defer cancel()
	first := emptyVersion(t, ctx, subject.kind)

	whole := startLog(t, ctx, subject, "", first, func(*watchLog) {})
	resumed := startLog(t, ctx, subject, "", first, func(log *watchLog) { log.each, log.cut = time.Second, 40 })
	odd := startLog(t, ctx, subject, "parity=odd", first, func(log *watchLog) { log.each = 2 * time.Second })

	// The server ends these watches every two seconds; each resumes.
	steady := startObserver(t, ctx, subject, func(options *metav1.ListOptions) { shorten(options, 2) }, nil)
	// These watches are torn down with their connection.
	torn := startObserver(t, ctx, subject, nil, func(cut func()) {
		for ctx.Err() == nil {
			time.Sleep(1500 * time.Millisecond)
			cut()
		}
	})
	// This one resumes from an expired version three times.
	var forgotten atomic.Bool
	var forced atomic.Int64
	late := startObserver(t, ctx, subject, func(options *metav1.ListOptions) {
		shorten(options, 2)
		if forgotten.Load() && options.AllowWatchBookmarks && options.SendInitialEvents == nil && forced.Load() < 3 {
			forced.Add(1)
			options.ResourceVersion = strconv.FormatInt(first, 10)
		}
	}, nil)

	writing, stop := context.WithCancel(ctx)
	defer stop()
	work := &writers{kind: subject.kind, ledger: newLedger(), names: nameCount}
	began := time.Now()
	go func() {
		defer stop()
		// The churn goes on until history has expired and a watch has requested it.
		time.Sleep(churnTime(t))
		_ = wait.PollUntilContextTimeout(ctx, 100*time.Millisecond, time.Minute, true, func(context.Context) (bool, error) {
			return forced.Load() > 0, nil
		})
	}()
	go awaitForgotten(t, writing, subject, first, &forgotten)
	go restartInformers(t, writing, subject)
	work.run(t, writing, writerCount)
	lasted := time.Since(began)

	end, err := subject.kind.create(ctx, lastName, map[string]string{"parity": "odd"})
	if err != nil {
		t.Fatal(err)
	}
	if err = work.ledger.wrote("create", end); err != nil {
		t.Fatal(err)
	}

	for _, log := range []*runningLog{whole, resumed, odd} {
		if err := <-log.done; err != nil {
			t.Fatal(err)
		}
	}
	for _, each := range []*observer{steady, torn, late} {
		each.await(t, ctx, work.ledger.highest)
	}
	if whole.streams != 1 {
		t.Errorf("the watch that nobody disturbed took %d streams", whole.streams)
	}
	sameEntries(t, "a watch that is resumed all the time", resumed.entries, whole.entries)
	sameEntries(t, "a watch with a selector", odd.entries, selected(whole.entries, "odd"))
	sameEntries(t, "an informer whose watches end", steady.entries, whole.entries)
	checkLedger(t, work.ledger, whole.entries)
	for _, race := range []string{"create, exists", "update, conflict", "update, stale", "delete and create"} {
		if work.ledger.counts[race] == 0 {
			t.Errorf("the churn had no race of this kind: %s", race)
		}
	}
	if forced.Load() == 0 {
		t.Error("no informer was told that its version is too old")
	}
	for _, each := range []*observer{torn, late} {
		each.check(t, whole.entries)
	}
	state := checkEnd(t, ctx, subject.kind, whole.entries)
	for _, each := range []*observer{steady, torn, late} {
		sameState(t, "an informer", each.state(t), state)
	}
	t.Logf("%d events in %s (%.0f a second), %v", len(whole.entries), lasted.Round(time.Second), float64(len(whole.entries))/lasted.Seconds(), work.ledger.counts)
	t.Logf("resumed log: %d streams; torn informer: %d watches, %d lists; late informer: %d times too old, %d lists; resyncs: %d",
		resumed.streams, torn.watches.Load(), torn.lists.Load(), forced.Load(), late.lists.Load(), steady.resyncs)
}

func shorten(options *metav1.ListOptions, seconds int64) {
	if options.AllowWatchBookmarks {
		options.TimeoutSeconds = &seconds
	}
}

func emptyVersion(t *testing.T, ctx context.Context, kind writable) int64 {
	t.Helper()
	objects, version, err := kind.list(ctx)
	if err != nil || len(objects) > 0 {
		t.Fatalf("the first list: %v, %d objects", err, len(objects))
	}
	first, err := strconv.ParseInt(version, 10, 64)
	if err != nil {
		t.Fatal(err)
	}
	return first
}

type runningLog struct {
	*watchLog
	done chan error
}

func startLog(t *testing.T, ctx context.Context, subject churned, selector string, first int64, set func(*watchLog)) *runningLog {
	t.Helper()
	loaded, dialer := ownConnections(t, subject)
	log := newWatchLog(t, loaded, subject.path, selector, first)
	log.hungUp = dialer.CloseAll
	set(log)
	running := &runningLog{log, make(chan error, 1)}
	go func() { running.done <- log.until(ctx, lastName) }()
	return running
}

// awaitForgotten requests the first version until the server answers that it is too old (WATCH-17).
func awaitForgotten(t *testing.T, ctx context.Context, subject churned, first int64, forgotten *atomic.Bool) {
	loaded, _ := ownConnections(t, subject)
	for ctx.Err() == nil {
		log := newWatchLog(t, loaded, subject.path, "", first)
		log.each, log.cut = time.Second, 1
		err := log.stream(ctx, lastName)
		if tooOld := (expiredError{}); errors.As(err, &tooOld) {
			forgotten.Store(true)
			return
		}
		time.Sleep(200 * time.Millisecond)
	}
}

// restartInformers repeatedly starts an informer during the churn; each must see a state that existed.
func restartInformers(t *testing.T, ctx context.Context, subject churned) {
	for ctx.Err() == nil {
		life, stop := context.WithCancel(ctx)
		one := startObserver(t, life, subject, nil, nil)
		select {
		case <-ctx.Done():
		case <-time.After(time.Second):
		}
		stop()
		<-one.done
		if err := one.order(); err != nil {
			t.Errorf("an informer that was started in the middle: %v", err)
		}
	}
}
