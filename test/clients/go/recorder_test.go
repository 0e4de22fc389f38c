package clients

import (
	"context"
	"testing"
	"time"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/util/wait"
	"k8s.io/client-go/kubernetes/scheme"
	typedcorev1 "k8s.io/client-go/kubernetes/typed/core/v1"
	"k8s.io/client-go/tools/events"
	"k8s.io/client-go/tools/record"
)

// Repeated events are counted by a strategic merge patch of the existing event.
func TestRecordersCountWhatHappensAgain(t *testing.T) {
	ctx, client := deadline(t), typed(t)
	subject := &corev1.ObjectReference{Kind: "VirtualClusterInstance", Namespace: namespace, Name: "recorded", UID: "1"}

	broadcaster := record.NewBroadcaster(record.WithContext(ctx))
	defer broadcaster.Shutdown()
	broadcaster.StartRecordingToSink(&typedcorev1.EventSinkImpl{Interface: client.CoreV1().Events(namespace)})
	recorder := broadcaster.NewRecorder(scheme.Scheme, corev1.EventSource{Component: "recorder"})
	for range 3 {
		recorder.Event(subject, corev1.EventTypeNormal, "Happened", "the same again")
	}
	awaitCount(t, ctx, client.CoreV1().Events(namespace), "Happened", func(event corev1.Event) bool { return event.Count == 3 })

	newer := events.NewBroadcaster(&events.EventSinkImpl{Interface: client.EventsV1()})
	defer newer.Shutdown()
	if err := newer.StartRecordingToSinkWithContext(ctx); err != nil {
		t.Fatal(err)
	}
	about := &corev1.ConfigMap{ObjectMeta: metav1.ObjectMeta{Namespace: namespace, Name: "recorded", UID: "1"}}
	series := newer.NewRecorder(scheme.Scheme, "flotilla.test/recorder")
	for range 2 {
		series.Eventf(about, nil, corev1.EventTypeNormal, "HappenedToo", "Test", "the same again")
		time.Sleep(100 * time.Millisecond)
	}
	awaitCount(t, ctx, client.CoreV1().Events(namespace), "HappenedToo", func(event corev1.Event) bool {
		return event.Series != nil && event.Series.Count == 2
	})
}

func awaitCount(t *testing.T, ctx context.Context, client typedcorev1.EventInterface, reason string, isCounted func(corev1.Event) bool) {
	t.Helper()
	var last []corev1.Event
	err := wait.PollUntilContextTimeout(ctx, 50*time.Millisecond, 20*time.Second, true, func(ctx context.Context) (bool, error) {
		list, err := client.List(ctx, metav1.ListOptions{FieldSelector: "reason=" + reason})
		if err != nil {
			return false, err
		}
		last = list.Items
		return len(last) == 1 && isCounted(last[0]), nil
	})
	if err != nil {
		t.Errorf("%s was not counted: %v, %+v", reason, err, last)
	}
}
