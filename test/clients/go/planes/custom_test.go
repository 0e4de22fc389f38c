package planes

import (
	"context"
	"testing"
	"time"

	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	apiextensionsapply "k8s.io/apiextensions-apiserver/pkg/client/applyconfiguration/apiextensions/v1"
	apiextensions "k8s.io/apiextensions-apiserver/pkg/client/clientset/clientset"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/apimachinery/pkg/util/wait"
	"k8s.io/apimachinery/pkg/watch"
	"k8s.io/client-go/discovery"
	"k8s.io/client-go/dynamic"
	"k8s.io/client-go/restmapper"
	"k8s.io/client-go/scale"
)

// definition is a kind Boat with a schema, a status and a scale, in a separate group for the test.
func definition(group, plural string) *apiextensionsv1.CustomResourceDefinition {
	one := 1.0
	whole := apiextensionsv1.JSONSchemaProps{Type: "integer", Format: "int32", Minimum: &one}
	whole.Default = &apiextensionsv1.JSON{Raw: []byte("1")}
	object := func(properties map[string]apiextensionsv1.JSONSchemaProps) apiextensionsv1.JSONSchemaProps {
		return apiextensionsv1.JSONSchemaProps{Type: "object", Properties: properties}
	}
	spec := object(map[string]apiextensionsv1.JSONSchemaProps{"masts": whole, "flag": {Type: "string"}})
	spec.XValidations = apiextensionsv1.ValidationRules{{Rule: "self.masts < 10", Message: "too many masts"}}
	status := object(map[string]apiextensionsv1.JSONSchemaProps{"masts": {Type: "integer"}, "seen": {Type: "string"}})
	root := object(map[string]apiextensionsv1.JSONSchemaProps{"spec": spec, "status": status})
	return &apiextensionsv1.CustomResourceDefinition{
		ObjectMeta: named(plural + "." + group),
		Spec: apiextensionsv1.CustomResourceDefinitionSpec{
			Group: group,
			Scope: apiextensionsv1.NamespaceScoped,
			Names: apiextensionsv1.CustomResourceDefinitionNames{Plural: plural, Kind: "Boat"},
			Versions: []apiextensionsv1.CustomResourceDefinitionVersion{{
				Name: "v1", Served: true, Storage: true,
				Schema: &apiextensionsv1.CustomResourceValidation{OpenAPIV3Schema: &root},
				Subresources: &apiextensionsv1.CustomResourceSubresources{
					Status: &apiextensionsv1.CustomResourceSubresourceStatus{},
					Scale:  &apiextensionsv1.CustomResourceSubresourceScale{SpecReplicasPath: ".spec.masts", StatusReplicasPath: ".status.masts"},
				},
			}},
		},
	}
}

func definitions(t *testing.T) *apiextensions.Clientset {
	t.Helper()
	client, err := apiextensions.NewForConfig(onlyProtobuf(t))
	must(t, "client", err)
	return client
}

// define creates the kind and waits until it is served. The cleanup deletes it with all of its objects.
func define(t *testing.T, wanted *apiextensionsv1.CustomResourceDefinition) {
	t.Helper()
	client := definitions(t).ApiextensionsV1().CustomResourceDefinitions()
	_, err := client.Create(deadline(t), wanted, metav1.CreateOptions{})
	must(t, "create of "+wanted.Name, err)
	t.Cleanup(func() {
		ctx := context.Background()
		if err := client.Delete(ctx, wanted.Name, metav1.DeleteOptions{}); err != nil {
			t.Errorf("delete of %s: %v", wanted.Name, err)
		}
		awaitGone(t, func() error {
			_, err := client.Get(ctx, wanted.Name, metav1.GetOptions{})
			return err
		})
	})
	awaitEstablished(t, wanted.Name)
}

func awaitEstablished(t *testing.T, name string) {
	t.Helper()
	client := definitions(t).ApiextensionsV1().CustomResourceDefinitions()
	var last *apiextensionsv1.CustomResourceDefinition
	err := wait.PollUntilContextTimeout(deadline(t), 20*time.Millisecond, 30*time.Second, true, func(ctx context.Context) (bool, error) {
		one, err := client.Get(ctx, name, metav1.GetOptions{})
		if err != nil {
			return false, err
		}
		last = one
		for _, condition := range one.Status.Conditions {
			if condition.Type == apiextensionsv1.Established {
				return condition.Status == apiextensionsv1.ConditionTrue, nil
			}
		}
		return false, nil
	})
	if err != nil {
		t.Fatalf("%s is not established: %v, %+v", name, err, last)
	}
}

func TestDefinitionsAreWalkedInProtobuf(t *testing.T) {
	namespace := newNamespace(t, "definitions")
	short := "Boaty"
	walk[*apiextensionsv1.CustomResourceDefinition, *apiextensionsv1.CustomResourceDefinitionList, *apiextensionsapply.CustomResourceDefinitionApplyConfiguration]{
		client: definitions(t).ApiextensionsV1().CustomResourceDefinitions(),
		object: func(name string) *apiextensionsv1.CustomResourceDefinition {
			return definition(namespace+".example.com", name[:len(name)-len("."+namespace+".example.com")])
		},
		change: func(one *apiextensionsv1.CustomResourceDefinition) {
			one.Spec.Versions[0].Schema.OpenAPIV3Schema.Description = "changed"
		},
		hasChanged: func(one *apiextensionsv1.CustomResourceDefinition) bool {
			schema := one.Spec.Versions[0].Schema.OpenAPIV3Schema
			return schema.Description == "changed" && *schema.Properties["spec"].Properties["masts"].Minimum == 1
		},
		patch:     `{"spec":{"names":{"categories":["boats"]}}}`,
		isPatched: func(one *apiextensionsv1.CustomResourceDefinition) bool { return len(one.Spec.Names.Categories) == 1 },
		apply: func(name string) *apiextensionsapply.CustomResourceDefinitionApplyConfiguration {
			return apiextensionsapply.CustomResourceDefinition(name).WithAnnotations(map[string]string{"applied": short})
		},
		isApplied: func(one *apiextensionsv1.CustomResourceDefinition) bool { return one.Annotations["applied"] == short },
		name:      func(name string) string { return name + "." + namespace + ".example.com" },
	}.run(t, namespace)
}

func boat(group, name string, masts int64) *unstructured.Unstructured {
	return &unstructured.Unstructured{Object: map[string]any{
		"apiVersion": group + "/v1",
		"kind":       "Boat",
		"metadata":   map[string]any{"name": name},
		"spec":       map[string]any{"masts": masts},
	}}
}

func TestCustomObjectsWithTheDynamicClient(t *testing.T) {
	ctx, namespace := deadline(t), newNamespace(t, "boats")
	group := namespace + ".example.com"
	define(t, definition(group, "boats"))
	client, err := dynamic.NewForConfig(config(t))
	must(t, "client", err)
	resource := schema.GroupVersionResource{Group: group, Version: "v1", Resource: "boats"}
	boats := client.Resource(resource).Namespace(namespace)

	events, err := boats.Watch(ctx, metav1.ListOptions{})
	must(t, "watch", err)
	defer events.Stop()
	made, err := boats.Create(ctx, boat(group, "pinta", 3), metav1.CreateOptions{})
	must(t, "create", err)
	await(t, events, watch.Added, "pinta")
	if made.GetGeneration() != 1 {
		t.Errorf("a new object has the generation %d", made.GetGeneration())
	}
	if _, err = boats.Create(ctx, boat(group, "hulk", 10), metav1.CreateOptions{}); !apierrors.IsInvalid(err) {
		t.Errorf("what a rule forbids: %v", err)
	}
	if _, err = boats.Create(ctx, boat(group, "raft", 0), metav1.CreateOptions{}); !apierrors.IsInvalid(err) {
		t.Errorf("what the schema forbids: %v", err)
	}
	plain := boat(group, "nina", 1)
	unstructured.RemoveNestedField(plain.Object, "spec", "masts")
	filled, err := boats.Create(ctx, plain, metav1.CreateOptions{})
	must(t, "create", err)
	if masts, _, _ := unstructured.NestedInt64(filled.Object, "spec", "masts"); masts != 1 {
		t.Errorf("%d masts by default", masts)
	}

	must(t, "status", unstructured.SetNestedField(made.Object, "yes", "status", "seen"))
	must(t, "status", unstructured.SetNestedField(made.Object, int64(9), "spec", "masts"))
	told, err := boats.UpdateStatus(ctx, made, metav1.UpdateOptions{})
	must(t, "status", err)
	masts, _, _ := unstructured.NestedInt64(told.Object, "spec", "masts")
	if seen, _, _ := unstructured.NestedString(told.Object, "status", "seen"); seen != "yes" || masts != 3 {
		t.Errorf("status %q, %d masts", seen, masts)
	}
	_, err = boats.Patch(ctx, "pinta", types.StrategicMergePatchType, []byte(`{}`), metav1.PatchOptions{})
	if !apierrors.IsUnsupportedMediaType(err) {
		t.Errorf("strategic merge patch: %v", err)
	}
	applied := boat(group, "pinta", 4)
	if _, err = boats.Apply(ctx, "pinta", applied, metav1.ApplyOptions{FieldManager: "other"}); !apierrors.IsConflict(err) {
		t.Errorf("apply of what another owns: %v", err)
	}
	_, err = boats.Apply(ctx, "pinta", applied, metav1.ApplyOptions{FieldManager: "other", Force: true})
	must(t, "apply", err)
	scaleBoat(t, ctx, namespace, resource.GroupResource())
	must(t, "deletecollection", boats.DeleteCollection(ctx, metav1.DeleteOptions{}, metav1.ListOptions{}))
	await(t, events, watch.Deleted, "pinta")
}

func scaleBoat(t *testing.T, ctx context.Context, namespace string, resource schema.GroupResource) {
	t.Helper()
	discovered, err := discovery.NewDiscoveryClientForConfig(config(t))
	must(t, "discovery", err)
	groups, err := restmapper.GetAPIGroupResources(discovered)
	must(t, "discovery", err)
	client, err := scale.NewForConfig(config(t), restmapper.NewDiscoveryRESTMapper(groups), dynamic.LegacyAPIPathResolverFunc, scale.NewDiscoveryScaleKindResolver(discovered))
	must(t, "scale client", err)
	found, err := client.Scales(namespace).Get(ctx, resource, "pinta", metav1.GetOptions{})
	must(t, "scale", err)
	if found.Spec.Replicas != 4 {
		t.Errorf("scale says %d", found.Spec.Replicas)
	}
	found.Spec.Replicas = 5
	scaled, err := client.Scales(namespace).Update(ctx, resource, found, metav1.UpdateOptions{})
	must(t, "scale", err)
	if scaled.Spec.Replicas != 5 {
		t.Errorf("scaled to %d", scaled.Spec.Replicas)
	}
}
