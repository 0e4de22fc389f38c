package planes

import (
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"testing"

	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/client-go/dynamic"
	"sigs.k8s.io/yaml"
)

// A large operator as its users install it: a megabyte of definitions, read from its published module.
const operator = "github.com/cert-manager/cert-manager@v1.21.2"

func operatorDefinitions(t *testing.T) []*apiextensionsv1.CustomResourceDefinition {
	t.Helper()
	output, err := exec.Command("go", "mod", "download", "-json", operator).Output()
	must(t, "download of "+operator, err)
	var module struct{ Dir string }
	must(t, "download of "+operator, json.Unmarshal(output, &module))
	paths, err := filepath.Glob(filepath.Join(module.Dir, "deploy", "crds", "*.yaml"))
	must(t, "definitions", err)
	var found []*apiextensionsv1.CustomResourceDefinition
	for _, path := range paths {
		text, err := os.ReadFile(path)
		must(t, path, err)
		one := &apiextensionsv1.CustomResourceDefinition{}
		must(t, path, yaml.UnmarshalStrict(text, one))
		found = append(found, one)
	}
	if len(found) < 6 {
		t.Fatalf("%d definitions in %s", len(found), module.Dir)
	}
	return found
}

func TestDefinitionsOfALargeOperatorAreInstalled(t *testing.T) {
	for _, one := range operatorDefinitions(t) {
		define(t, one)
	}
	ctx, namespace := deadline(t), newNamespace(t, "operator")
	client, err := dynamic.NewForConfig(config(t))
	must(t, "client", err)
	certificates := client.Resource(schema.GroupVersionResource{Group: "cert-manager.io", Version: "v1", Resource: "certificates"}).Namespace(namespace)
	certificate := func(name string, spec map[string]any) *unstructured.Unstructured {
		return &unstructured.Unstructured{Object: map[string]any{
			"apiVersion": "cert-manager.io/v1", "kind": "Certificate", "metadata": map[string]any{"name": name}, "spec": spec,
		}}
	}
	issuer := map[string]any{"name": "ca", "kind": "Issuer"}
	good := map[string]any{"secretName": "tls", "issuerRef": issuer, "dnsNames": []any{"flotilla.test"}, "usages": []any{"server auth"}}
	made, err := certificates.Create(ctx, certificate("good", good), metav1.CreateOptions{FieldValidation: "Strict"})
	must(t, "create", err)
	must(t, "status", unstructured.SetNestedSlice(made.Object, []any{map[string]any{
		"type": "Ready", "status": "True", "reason": "Issued", "lastTransitionTime": "2026-01-02T03:04:05Z",
	}}, "status", "conditions"))
	_, err = certificates.UpdateStatus(ctx, made, metav1.UpdateOptions{})
	must(t, "status", err)
	bad := map[string]any{"secretName": "tls", "issuerRef": issuer, "usages": []any{"no such usage"}}
	if _, err = certificates.Create(ctx, certificate("bad", bad), metav1.CreateOptions{}); !apierrors.IsInvalid(err) {
		t.Errorf("what the schema forbids: %v", err)
	}
	if _, err = certificates.Create(ctx, certificate("bare", map[string]any{}), metav1.CreateOptions{}); !apierrors.IsInvalid(err) {
		t.Errorf("what lacks what is required: %v", err)
	}
	list, err := certificates.List(ctx, metav1.ListOptions{})
	if err != nil || len(list.Items) != 1 {
		t.Fatalf("list: %v, %d items", err, len(list.Items))
	}
}
