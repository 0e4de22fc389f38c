package clients

import (
	"os"
	"strconv"
	"testing"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/client-go/dynamic"
	"k8s.io/client-go/rest"
)

var projects = schema.GroupVersionResource{Group: "management.platform.sh", Version: "v1", Resource: "projects"}

// churnTime is how long the long tests write: FLOTILLA_CHURN_SECONDS, by default 10 seconds.
func churnTime(t *testing.T) time.Duration {
	t.Helper()
	text := os.Getenv("FLOTILLA_CHURN_SECONDS")
	if text == "" {
		return 10 * time.Second
	}
	seconds, err := strconv.Atoi(text)
	if err != nil || seconds < 1 {
		t.Fatalf("FLOTILLA_CHURN_SECONDS is %q", text)
	}
	return time.Duration(seconds) * time.Second
}

// unlimited is a configuration without client-side rate limiting; client-go allows five requests per second otherwise.
func unlimited(t *testing.T) *rest.Config {
	t.Helper()
	loaded := config(t)
	loaded.QPS = -1
	return loaded
}

func dynamicClient(t *testing.T, loaded *rest.Config) *dynamic.DynamicClient {
	t.Helper()
	client, err := dynamic.NewForConfig(loaded)
	if err != nil {
		t.Fatal(err)
	}
	return client
}

// newProject creates a project for one test and returns its namespace. The cleanup deletes the project with everything
// that the test left in the namespace.
func newProject(t *testing.T, name string) string {
	t.Helper()
	ctx, client := deadline(t), dynamicClient(t, config(t)).Resource(projects)
	anything := []any{map[string]any{"name": "*"}}
	_, err := client.Create(ctx, &unstructured.Unstructured{Object: map[string]any{
		"apiVersion": "management.platform.sh/v1",
		"kind":       "Project",
		"metadata":   map[string]any{"name": name},
		"spec":       map[string]any{"allowedClusters": anything, "allowedTemplates": anything},
	}}, metav1.CreateOptions{})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { removeWhole(t, client, name) })
	return "platform-p-" + name
}
