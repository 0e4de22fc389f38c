// Package loft tests the typed client of github.com/loft-sh/api against a server with the API word loft, which
// FLOTILLA_KUBECONFIG names.
package loft

import (
	"context"
	"encoding/json"
	"os"
	"strings"
	"testing"
	"time"

	managementv1 "github.com/loft-sh/api/v4/pkg/apis/management/v1"
	storagev1 "github.com/loft-sh/api/v4/pkg/apis/storage/v1"
	"github.com/loft-sh/api/v4/pkg/clientset/versioned"
	typedv1 "github.com/loft-sh/api/v4/pkg/clientset/versioned/typed/management/v1"
	authorizationv1 "k8s.io/api/authorization/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/apimachinery/pkg/watch"
	"k8s.io/client-go/rest"
	"k8s.io/client-go/tools/clientcmd"
)

const namespace = "loft-p-default"

func config(t *testing.T) *rest.Config {
	t.Helper()
	loaded, err := clientcmd.BuildConfigFromFlags("", os.Getenv("FLOTILLA_KUBECONFIG"))
	if err != nil {
		t.Fatal(err)
	}
	return loaded
}

func clientOf(t *testing.T, loaded *rest.Config) typedv1.ManagementV1Interface {
	t.Helper()
	client, err := versioned.NewForConfig(loaded)
	if err != nil {
		t.Fatal(err)
	}
	return client.ManagementV1()
}

func start(t *testing.T) (context.Context, typedv1.ManagementV1Interface) {
	t.Helper()
	ctx, cancel := context.WithTimeout(context.Background(), 60*time.Second)
	t.Cleanup(cancel)
	return ctx, clientOf(t, config(t))
}

// must ends the test if a request has failed, and returns its result.
func must[T any](result T, err error) func(t *testing.T, request string) T {
	return func(t *testing.T, request string) T {
		t.Helper()
		if err != nil {
			t.Fatalf("%s: %v", request, err)
		}
		return result
	}
}

func check(t *testing.T, isTrue bool, format string, arguments ...any) {
	t.Helper()
	if !isTrue {
		t.Fatalf(format, arguments...)
	}
}

func TestSelf(t *testing.T) {
	ctx, client := start(t)
	self := must(client.Selves().Create(ctx, &managementv1.Self{}, metav1.CreateOptions{}))(t, "create")
	status := self.Status
	check(t, status.User != nil && status.User.Name == "admin" && status.User.Username == "admin", "user: %+v", status.User)
	check(t, status.ProjectNamespacePrefix != nil && *status.ProjectNamespacePrefix == "loft-p-", "prefix: %+v", status)
	user := must(client.Users().Get(ctx, status.User.Name, metav1.GetOptions{}))(t, "get user")
	check(t, user.Name == "admin" && user.UID != "", "user: %+v", user)
}

func instance(name string) *managementv1.VirtualClusterInstance {
	made := &managementv1.VirtualClusterInstance{ObjectMeta: metav1.ObjectMeta{Name: name, Namespace: namespace}}
	made.Spec.DisplayName = "First"
	made.Spec.TemplateRef = &storagev1.TemplateRef{Name: "control-plane"}
	return made
}

// awaitPhase follows the instance from a resource version until it has the phase.
func awaitPhase(ctx context.Context, t *testing.T, client typedv1.ManagementV1Interface, name string, phase storagev1.InstancePhase, since string) {
	t.Helper()
	options := metav1.ListOptions{ResourceVersion: since, FieldSelector: "metadata.name=" + name}
	stream := must(client.VirtualClusterInstances(namespace).Watch(ctx, options))(t, "watch")
	defer stream.Stop()
	for event := range stream.ResultChan() {
		one, isInstance := event.Object.(*managementv1.VirtualClusterInstance)
		check(t, isInstance && event.Type != watch.Error, "event: %+v", event)
		if one.Status.Phase == phase {
			return
		}
	}
	t.Fatalf("the watch ended before the phase was %s", phase)
}

func TestInstanceLife(t *testing.T) {
	ctx, client := start(t)
	instances := client.VirtualClusterInstances(namespace)
	list := must(instances.List(ctx, metav1.ListOptions{}))(t, "list")
	made := must(instances.Create(ctx, instance("typed"), metav1.CreateOptions{}))(t, "create")
	check(t, made.UID != "" && made.Spec.Owner != nil && made.Spec.Owner.User == "admin", "created: %+v", made.Spec)
	awaitPhase(ctx, t, client, "typed", storagev1.InstanceReady, list.ResourceVersion)

	got := must(instances.Get(ctx, "typed", metav1.GetOptions{}))(t, "get")
	check(t, got.Spec.ClusterRef.Cluster == "local" && got.Spec.ClusterRef.Namespace != "", "placed: %+v", got.Spec.ClusterRef)
	check(t, len(got.Status.Conditions) > 0, "conditions: %+v", got.Status)
	got.Spec.DisplayName = "Second"
	updated := must(instances.Update(ctx, got, metav1.UpdateOptions{}))(t, "update")
	check(t, updated.Spec.DisplayName == "Second" && updated.Generation > made.Generation, "updated: %+v", updated)
	got.ResourceVersion = made.ResourceVersion
	_, err := instances.Update(ctx, got, metav1.UpdateOptions{})
	check(t, apierrors.IsConflict(err), "update with an old version: %v", err)
	patch := []byte(`{"spec":{"description":"patched"}}`)
	patched := must(instances.Patch(ctx, "typed", types.MergePatchType, patch, metav1.PatchOptions{}))(t, "patch")
	check(t, patched.Spec.Description == "patched" && patched.Spec.DisplayName == "Second", "patched: %+v", patched.Spec)

	listed := must(instances.List(ctx, metav1.ListOptions{}))(t, "list")
	check(t, len(listed.Items) == len(list.Items)+1, "%d items", len(listed.Items))
	err = instances.Delete(ctx, "typed", metav1.DeleteOptions{})
	check(t, err == nil, "delete: %v", err)
	for {
		_, err = instances.Get(ctx, "typed", metav1.GetOptions{})
		if apierrors.IsNotFound(err) {
			return
		}
		check(t, err == nil && ctx.Err() == nil, "get after delete: %v", err)
		time.Sleep(50 * time.Millisecond)
	}
}

func TestSleepAndKubeconfig(t *testing.T) {
	ctx, client := start(t)
	instances := client.VirtualClusterInstances(namespace)
	made := must(instances.Create(ctx, instance("sleeper"), metav1.CreateOptions{}))(t, "create")
	awaitPhase(ctx, t, client, "sleeper", storagev1.InstanceReady, made.ResourceVersion)

	answer := must(instances.GetKubeConfig(ctx, "sleeper", &managementv1.VirtualClusterInstanceKubeConfig{}, metav1.CreateOptions{}))(t, "kubeconfig")
	inside := must(clientcmd.RESTConfigFromKubeConfig([]byte(answer.Status.KubeConfig)))(t, "read the kubeconfig")
	check(t, strings.HasSuffix(inside.Host, "/kubernetes/project/default/virtualcluster/sleeper"), "host: %s", inside.Host)

	slept := must(instances.Get(ctx, "sleeper", metav1.GetOptions{}))(t, "get")
	slept.Annotations = map[string]string{"sleepmode.loft.sh/force": "true", "sleepmode.loft.sh/force-duration": "0"}
	slept = must(instances.Update(ctx, slept, metav1.UpdateOptions{}))(t, "put to sleep")
	awaitPhase(ctx, t, client, "sleeper", storagev1.InstanceSleeping, slept.ResourceVersion)
	for slept.Annotations["sleepmode.loft.sh/sleeping-since"] == "" {
		check(t, ctx.Err() == nil, "annotations: %+v", slept.Annotations)
		slept = must(instances.Get(ctx, "sleeper", metav1.GetOptions{}))(t, "get")
	}
	wake := []byte(`{"metadata":{"annotations":{"sleepmode.loft.sh/force":null,"sleepmode.loft.sh/force-duration":null}}}`)
	woken := must(instances.Patch(ctx, "sleeper", types.MergePatchType, wake, metav1.PatchOptions{}))(t, "wake")
	awaitPhase(ctx, t, client, "sleeper", storagev1.InstanceReady, woken.ResourceVersion)
	check(t, instances.Delete(ctx, "sleeper", metav1.DeleteOptions{}) == nil, "delete")
}

func TestProjectLife(t *testing.T) {
	ctx, client := start(t)
	project := &managementv1.Project{ObjectMeta: metav1.ObjectMeta{Name: "typed"}}
	project.Spec.DisplayName = "Typed"
	project.Spec.AllowedClusters = []storagev1.AllowedCluster{{Name: "*"}}
	project.Spec.AllowedTemplates = []storagev1.AllowedTemplate{{Kind: "VirtualClusterTemplate", Name: "*"}}
	project.Spec.Members = []storagev1.Member{{Kind: "User", Name: "admin", ClusterRole: "loft-management-project-user"}}
	must(client.Projects().Create(ctx, project, metav1.CreateOptions{}))(t, "create")
	got := must(client.Projects().Get(ctx, "typed", metav1.GetOptions{}))(t, "get")
	got.Spec.Description = "changed"
	must(client.Projects().Update(ctx, got, metav1.UpdateOptions{}))(t, "update")

	members := must(client.Projects().ListMembers(ctx, "typed", metav1.GetOptions{}))(t, "members")
	check(t, len(members.Users) == 1 && members.Users[0].Info.Name == "admin", "members: %+v", members)
	templates := must(client.Projects().ListTemplates(ctx, "typed", metav1.GetOptions{}))(t, "templates")
	check(t, len(templates.VirtualClusterTemplates) > 0, "templates: %+v", templates)
	clusters := must(client.Projects().ListClusters(ctx, "typed", metav1.GetOptions{}))(t, "clusters")
	check(t, len(clusters.Clusters) == 1 && clusters.Clusters[0].Name == "local", "clusters: %+v", clusters)
	check(t, client.Projects().Delete(ctx, "typed", metav1.DeleteOptions{}) == nil, "delete")
}

func TestOwnedAccessKeyLife(t *testing.T) {
	ctx, client := start(t)
	key := &managementv1.OwnedAccessKey{ObjectMeta: metav1.ObjectMeta{Name: "typed"}}
	key.Spec.DisplayName = "Typed"
	key.Spec.Type = storagev1.AccessKeyTypeUser
	key.Spec.User = "admin"
	key.Spec.TTL = 3600
	key.Spec.Scope = &storagev1.AccessKeyScope{
		AllowLoftCLI: true,
		Projects:     []storagev1.AccessKeyScopeProject{{Project: "default"}},
	}
	made := must(client.OwnedAccessKeys().Create(ctx, key, metav1.CreateOptions{}))(t, "create")
	check(t, strings.HasPrefix(made.Spec.Key, "flk_"), "key: %q", made.Spec.Key)

	loaded := config(t)
	loaded.BearerToken = made.Spec.Key
	scoped := clientOf(t, loaded)
	self := must(scoped.Selves().Create(ctx, &managementv1.Self{}, metav1.CreateOptions{}))(t, "self with the key")
	check(t, self.Status.AccessKey == "typed" && self.Status.AccessKeyScope != nil, "self: %+v", self.Status)
	check(t, self.Status.AccessKeyScope.AllowLoftCLI, "scope: %+v", self.Status.AccessKeyScope)
	_, err := scoped.Users().List(ctx, metav1.ListOptions{})
	check(t, apierrors.IsForbidden(err), "list of users with a scoped key: %v", err)

	got := must(client.OwnedAccessKeys().Get(ctx, "typed", metav1.GetOptions{}))(t, "get")
	check(t, got.Spec.Key == "" && got.Spec.TTL == 3600, "stored key: %+v", got.Spec)
	got.Spec.Disabled = true
	must(client.OwnedAccessKeys().Update(ctx, got, metav1.UpdateOptions{}))(t, "update")
	_, err = scoped.Selves().Create(ctx, &managementv1.Self{}, metav1.CreateOptions{})
	check(t, apierrors.IsUnauthorized(err), "self with a disabled key: %v", err)
	check(t, client.OwnedAccessKeys().Delete(ctx, "typed", metav1.DeleteOptions{}) == nil, "delete")
}

func TestTemplateLife(t *testing.T) {
	ctx, client := start(t)
	template := &managementv1.VirtualClusterTemplate{ObjectMeta: metav1.ObjectMeta{Name: "typed"}}
	template.Spec.DisplayName = "Typed"
	template.Spec.Template.Objects = "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: of, namespace: default}\ndata: {name: '{{ .Values.loft.name }}'}\n"
	template.Spec.Parameters = []storagev1.AppParameter{{Variable: "env", Label: "Environment", DefaultValue: "dev"}}
	must(client.VirtualClusterTemplates().Create(ctx, template, metav1.CreateOptions{}))(t, "create")
	got := must(client.VirtualClusterTemplates().Get(ctx, "typed", metav1.GetOptions{}))(t, "get")
	check(t, got.Spec.Template.Objects == template.Spec.Template.Objects, "objects: %q", got.Spec.Template.Objects)
	check(t, len(got.Spec.Parameters) == 1 && got.Spec.Parameters[0].Variable == "env", "parameters: %+v", got.Spec.Parameters)
	got.Spec.Description = "changed"
	must(client.VirtualClusterTemplates().Update(ctx, got, metav1.UpdateOptions{}))(t, "update")
	list := must(client.VirtualClusterTemplates().List(ctx, metav1.ListOptions{}))(t, "list")
	check(t, len(list.Items) == 2, "%d templates", len(list.Items))
	check(t, client.VirtualClusterTemplates().Delete(ctx, "typed", metav1.DeleteOptions{}) == nil, "delete")
}

func TestUsersTeamsAndClusters(t *testing.T) {
	ctx, client := start(t)
	user := &managementv1.User{ObjectMeta: metav1.ObjectMeta{Name: "typed"}}
	user.Spec.DisplayName = "Typed"
	user.Spec.Email = "typed@example.com"
	must(client.Users().Create(ctx, user, metav1.CreateOptions{}))(t, "create user")
	team := &managementv1.Team{ObjectMeta: metav1.ObjectMeta{Name: "typed"}}
	team.Spec.Users = []string{"typed"}
	must(client.Teams().Create(ctx, team, metav1.CreateOptions{}))(t, "create team")
	got := must(client.Teams().Get(ctx, "typed", metav1.GetOptions{}))(t, "get team")
	check(t, len(got.Spec.Users) == 1, "team: %+v", got.Spec)
	check(t, client.Teams().Delete(ctx, "typed", metav1.DeleteOptions{}) == nil, "delete team")
	check(t, client.Users().Delete(ctx, "typed", metav1.DeleteOptions{}) == nil, "delete user")
	cluster := must(client.Clusters().Get(ctx, "local", metav1.GetOptions{}))(t, "get cluster")
	check(t, cluster.Name == "local" && cluster.Spec.Local, "cluster: %+v", cluster.Spec)
}

func TestTokensAndReviews(t *testing.T) {
	ctx, client := start(t)
	token := &managementv1.DirectClusterEndpointToken{}
	token.Spec.TTL = 60
	made := must(client.DirectClusterEndpointTokens().Create(ctx, token, metav1.CreateOptions{}))(t, "create token")
	check(t, strings.Count(made.Status.Token, ".") == 2, "token: %+v", made.Status)

	review := &managementv1.SelfSubjectAccessReview{}
	review.Spec.ResourceAttributes = &authorizationv1.ResourceAttributes{
		Verb: "use", Group: "management.loft.sh", Version: "v1", Resource: "virtualclusterinstances", Namespace: namespace,
	}
	answer := must(client.SelfSubjectAccessReviews().Create(ctx, review, metav1.CreateOptions{}))(t, "review")
	check(t, answer.Status.Allowed, "review: %+v", answer.Status)
}

func TestKindsWithoutObjects(t *testing.T) {
	ctx, client := start(t)
	spaces := must(client.SpaceInstances("").List(ctx, metav1.ListOptions{}))(t, "list spaces")
	features := must(client.Features().List(ctx, metav1.ListOptions{}))(t, "list features")
	licenses := must(client.Licenses().List(ctx, metav1.ListOptions{}))(t, "list licenses")
	configs := must(client.Configs().List(ctx, metav1.ListOptions{}))(t, "list configs")
	count := len(spaces.Items) + len(features.Items) + len(licenses.Items) + len(configs.Items)
	check(t, count == 0 && spaces.ResourceVersion != "", "%d objects", count)
	_, err := client.SpaceInstances(namespace).Get(ctx, "none", metav1.GetOptions{})
	check(t, apierrors.IsNotFound(err), "get of a space: %v", err)
}

func TestExtendedReads(t *testing.T) {
	ctx, client := start(t)
	must(client.VirtualClusterInstances(namespace).Create(ctx, instance("extended"), metav1.CreateOptions{}))(t, "create")
	raw := must(client.RESTClient().Get().Resource("virtualclusterinstances").Param("extended", "true").Do(ctx).Raw())(t, "list")
	var list managementv1.VirtualClusterInstanceList
	check(t, json.Unmarshal(raw, &list) == nil && len(list.Items) > 0, "list: %s", raw)
	for _, one := range list.Items {
		check(t, one.Status.CanUse && one.Status.CanUpdate, "status: %+v", one.Status)
	}
}
