// Package planes tests the real clients against a control plane of the Kubernetes kind: the built-in cluster of the
// server that FLOTILLA_KUBECONFIG names.
package planes

import (
	"context"
	"os"
	"testing"
	"time"

	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/util/wait"
	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/rest"
	"k8s.io/client-go/tools/clientcmd"
)

const protobuf = "application/vnd.kubernetes.protobuf"

// config uses JSON, without client-side rate limiting.
func config(t *testing.T) *rest.Config {
	t.Helper()
	path := os.Getenv("FLOTILLA_KUBECONFIG")
	if path == "" {
		t.Fatal("FLOTILLA_KUBECONFIG is not set")
	}
	loader := &clientcmd.ClientConfigLoadingRules{ExplicitPath: path}
	overrides := &clientcmd.ConfigOverrides{CurrentContext: "local"}
	loaded, err := clientcmd.NewNonInteractiveDeferredLoadingClientConfig(loader, overrides).ClientConfig()
	if err != nil {
		t.Fatal(err)
	}
	loaded.QPS = -1
	return loaded
}

// onlyProtobuf sends and accepts only protobuf, in watches too.
func onlyProtobuf(t *testing.T) *rest.Config {
	t.Helper()
	loaded := config(t)
	loaded.ContentType = protobuf
	loaded.AcceptContentTypes = protobuf
	return loaded
}

func typed(t *testing.T) *kubernetes.Clientset {
	t.Helper()
	client, err := kubernetes.NewForConfig(onlyProtobuf(t))
	if err != nil {
		t.Fatal(err)
	}
	return client
}

func deadline(t *testing.T) context.Context {
	t.Helper()
	ctx, cancel := context.WithTimeout(context.Background(), time.Minute)
	t.Cleanup(cancel)
	return ctx
}

// newNamespace creates a namespace for one test. The cleanup deletes it with its contents.
func newNamespace(t *testing.T, prefix string) string {
	t.Helper()
	client := typed(t).CoreV1().Namespaces()
	wanted := &corev1.Namespace{ObjectMeta: metav1.ObjectMeta{GenerateName: prefix + "-"}}
	made, err := client.Create(deadline(t), wanted, metav1.CreateOptions{})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		ctx := context.Background()
		if err := client.Delete(ctx, made.Name, metav1.DeleteOptions{}); err != nil {
			t.Errorf("delete of the namespace: %v", err)
		}
		awaitGone(t, func() error {
			_, err := client.Get(ctx, made.Name, metav1.GetOptions{})
			return err
		})
	})
	return made.Name
}

func awaitGone(t *testing.T, get func() error) {
	t.Helper()
	var last error
	err := wait.PollUntilContextTimeout(context.Background(), 20*time.Millisecond, 30*time.Second, true, func(context.Context) (bool, error) {
		last = get()
		return apierrors.IsNotFound(last), nil
	})
	if err != nil {
		t.Errorf("it does not go: %v (%v)", err, last)
	}
}
