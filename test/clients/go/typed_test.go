// Package clients tests the real client-go against a running server, which FLOTILLA_KUBECONFIG names.
package clients

import (
	"context"
	"os"
	"testing"
	"time"

	authenticationv1 "k8s.io/api/authentication/v1"
	authorizationv1 "k8s.io/api/authorization/v1"
	corev1 "k8s.io/api/core/v1"
	eventsv1 "k8s.io/api/events/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/rest"
	"k8s.io/client-go/tools/clientcmd"
)

const namespace = "platform-p-default"

func config(t *testing.T) *rest.Config {
	t.Helper()
	path := os.Getenv("FLOTILLA_KUBECONFIG")
	if path == "" {
		t.Fatal("FLOTILLA_KUBECONFIG is not set")
	}
	loaded, err := clientcmd.BuildConfigFromFlags("", path)
	if err != nil {
		t.Fatal(err)
	}
	return loaded
}

// typed sends and requests protobuf, as controllers do.
func typed(t *testing.T) *kubernetes.Clientset {
	t.Helper()
	loaded := config(t)
	loaded.ContentType = "application/vnd.kubernetes.protobuf"
	loaded.AcceptContentTypes = "application/vnd.kubernetes.protobuf,application/json"
	client, err := kubernetes.NewForConfig(loaded)
	if err != nil {
		t.Fatal(err)
	}
	return client
}

func deadline(t *testing.T) context.Context {
	t.Helper()
	ctx, cancel := context.WithTimeout(context.Background(), 30*time.Second)
	t.Cleanup(cancel)
	return ctx
}

func TestNamespacesAreReadAndNotWritten(t *testing.T) {
	ctx, client := deadline(t), typed(t)
	one, err := client.CoreV1().Namespaces().Get(ctx, namespace, metav1.GetOptions{})
	if err != nil {
		t.Fatal(err)
	}
	if one.Status.Phase != corev1.NamespaceActive || one.UID == "" || one.ResourceVersion == "" {
		t.Fatalf("unexpected namespace: %+v", one)
	}
	list, err := client.CoreV1().Namespaces().List(ctx, metav1.ListOptions{})
	if err != nil || len(list.Items) == 0 {
		t.Fatalf("list: %v, %d items", err, len(list.Items))
	}
	_, err = client.CoreV1().Namespaces().Create(ctx, &corev1.Namespace{ObjectMeta: metav1.ObjectMeta{Name: "x"}}, metav1.CreateOptions{})
	if !apierrors.IsMethodNotSupported(err) {
		t.Fatalf("create of a namespace: %v", err)
	}
	_, err = client.CoreV1().Namespaces().Get(ctx, "nowhere", metav1.GetOptions{})
	if !apierrors.IsNotFound(err) {
		t.Fatalf("get of a missing namespace: %v", err)
	}
}

func TestEventsOfBothGroupsAreTheSameObjects(t *testing.T) {
	ctx, client := deadline(t), typed(t)
	made, err := client.CoreV1().Events(namespace).Create(ctx, &corev1.Event{
		ObjectMeta:     metav1.ObjectMeta{GenerateName: "typed-"},
		InvolvedObject: corev1.ObjectReference{Kind: "VirtualClusterInstance", Namespace: namespace, Name: "x"},
		Reason:         "Tested",
		Message:        "by the typed client",
		Type:           corev1.EventTypeNormal,
		FirstTimestamp: metav1.Now(),
		LastTimestamp:  metav1.Now(),
		Count:          1,
	}, metav1.CreateOptions{})
	if err != nil {
		t.Fatal(err)
	}
	other, err := client.EventsV1().Events(namespace).Get(ctx, made.Name, metav1.GetOptions{})
	if err != nil {
		t.Fatal(err)
	}
	if other.Note != made.Message || other.Regarding.Name != "x" || other.UID != made.UID {
		t.Fatalf("unexpected event: %+v", other)
	}
	_, err = client.EventsV1().Events(namespace).Create(ctx, &eventsv1.Event{
		ObjectMeta:          metav1.ObjectMeta{Name: "typed-new"},
		EventTime:           metav1.NowMicro(),
		ReportingController: "flotilla.test/clients",
		ReportingInstance:   "one",
		Action:              "Test",
		Reason:              "Tested",
		Regarding:           corev1.ObjectReference{Kind: "VirtualClusterInstance", Namespace: namespace, Name: "y"},
		Type:                corev1.EventTypeNormal,
	}, metav1.CreateOptions{})
	if err != nil {
		t.Fatal(err)
	}
	selected, err := client.CoreV1().Events(namespace).List(ctx, metav1.ListOptions{FieldSelector: "involvedObject.name=y"})
	if err != nil || len(selected.Items) != 1 {
		t.Fatalf("list by field: %v, %d items", err, len(selected.Items))
	}
	made.Count = 2
	if _, err = client.CoreV1().Events(namespace).Update(ctx, made, metav1.UpdateOptions{}); err != nil {
		t.Fatal(err)
	}
	policy := metav1.DeletePropagationBackground
	if err = client.CoreV1().Events(namespace).Delete(ctx, made.Name, metav1.DeleteOptions{PropagationPolicy: &policy}); err != nil {
		t.Fatal(err)
	}
}

func TestReviewsAnswer(t *testing.T) {
	ctx, client := deadline(t), typed(t)
	access, err := client.AuthorizationV1().SelfSubjectAccessReviews().Create(ctx, &authorizationv1.SelfSubjectAccessReview{
		Spec: authorizationv1.SelfSubjectAccessReviewSpec{ResourceAttributes: &authorizationv1.ResourceAttributes{
			Namespace: namespace, Verb: "create", Group: "management.platform.sh", Resource: "virtualclusterinstances",
		}},
	}, metav1.CreateOptions{})
	if err != nil || !access.Status.Allowed {
		t.Fatalf("access: %v %+v", err, access)
	}
	other, err := client.AuthorizationV1().SubjectAccessReviews().Create(ctx, &authorizationv1.SubjectAccessReview{
		Spec: authorizationv1.SubjectAccessReviewSpec{User: "nobody", ResourceAttributes: &authorizationv1.ResourceAttributes{
			Verb: "delete", Group: "management.platform.sh", Resource: "projects",
		}},
	}, metav1.CreateOptions{})
	if err != nil || other.Status.Allowed {
		t.Fatalf("access of another: %v %+v", err, other)
	}
	rules, err := client.AuthorizationV1().SelfSubjectRulesReviews().Create(ctx, &authorizationv1.SelfSubjectRulesReview{
		Spec: authorizationv1.SelfSubjectRulesReviewSpec{Namespace: namespace},
	}, metav1.CreateOptions{})
	if err != nil || len(rules.Status.ResourceRules) == 0 {
		t.Fatalf("rules: %v %+v", err, rules)
	}
	self, err := client.AuthenticationV1().SelfSubjectReviews().Create(ctx, &authenticationv1.SelfSubjectReview{}, metav1.CreateOptions{})
	if err != nil || self.Status.UserInfo.Username != "admin" {
		t.Fatalf("self: %v %+v", err, self)
	}
}
