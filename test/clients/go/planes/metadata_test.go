package planes

import (
	"net/http"
	"strings"
	"sync"
	"testing"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/equality"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/watch"
	"k8s.io/client-go/metadata"
)

// responseTypes records the content types of responses.
type responseTypes struct {
	next  http.RoundTripper
	mutex sync.Mutex
	types []string
}

func (r *responseTypes) RoundTrip(request *http.Request) (*http.Response, error) {
	response, err := r.next.RoundTrip(request)
	if err == nil {
		r.mutex.Lock()
		defer r.mutex.Unlock()
		r.types = append(r.types, response.Header.Get("Content-Type"))
	}
	return response, err
}

// TestMetadataIsReadInProtobuf uses the client of garbage collectors, which asks for protobuf first.
func TestMetadataIsReadInProtobuf(t *testing.T) {
	namespace := newNamespace(t, "metadata")
	ctx := deadline(t)
	secret := &corev1.Secret{ObjectMeta: metav1.ObjectMeta{Name: "one", Labels: map[string]string{"walked": "yes"}}}
	_, err := typed(t).CoreV1().Secrets(namespace).Create(ctx, secret, metav1.CreateOptions{})
	must(t, "create", err)

	seen := &responseTypes{}
	loaded := config(t)
	loaded.Wrap(func(next http.RoundTripper) http.RoundTripper {
		seen.next = next
		return seen
	})
	client, err := metadata.NewForConfig(loaded)
	must(t, "client", err)
	secrets := client.Resource(corev1.SchemeGroupVersion.WithResource("secrets")).Namespace(namespace)

	one, err := secrets.Get(ctx, "one", metav1.GetOptions{})
	must(t, "get", err)
	list, err := secrets.List(ctx, metav1.ListOptions{LabelSelector: "walked=yes"})
	must(t, "list", err)
	if len(list.Items) != 1 || !equality.Semantic.DeepEqual(list.Items[0], *one) {
		t.Errorf("listed %v, read %v", list.Items, one)
	}
	stream, err := secrets.Watch(ctx, metav1.ListOptions{LabelSelector: "walked=yes"})
	must(t, "watch", err)
	defer stream.Stop()
	event := <-stream.ResultChan()
	watched, isMetadata := event.Object.(*metav1.PartialObjectMetadata)
	if event.Type != watch.Added || !isMetadata || watched.UID != one.UID {
		t.Errorf("watched %v", event)
	}
	for _, contentType := range seen.types {
		if !strings.HasPrefix(contentType, protobuf) {
			t.Errorf("a response is %s", contentType)
		}
	}
	if len(seen.types) != 3 {
		t.Errorf("there were responses %v", seen.types)
	}
}
