package planes

import (
	"testing"

	authenticationv1 "k8s.io/api/authentication/v1"
	authorizationv1 "k8s.io/api/authorization/v1"
	coordinationv1 "k8s.io/api/coordination/v1"
	corev1 "k8s.io/api/core/v1"
	eventsv1 "k8s.io/api/events/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	coordinationapply "k8s.io/client-go/applyconfigurations/coordination/v1"
	coreapply "k8s.io/client-go/applyconfigurations/core/v1"
	eventsapply "k8s.io/client-go/applyconfigurations/events/v1"
)

func named(name string) metav1.ObjectMeta {
	return metav1.ObjectMeta{Name: name}
}

func TestCoreKindsAreWalkedInProtobuf(t *testing.T) {
	client, namespace := typed(t), newNamespace(t, "core")
	t.Run("kinds", func(t *testing.T) {
		t.Run("ConfigMap", func(t *testing.T) {
			walk[*corev1.ConfigMap, *corev1.ConfigMapList, *coreapply.ConfigMapApplyConfiguration]{
				client: client.CoreV1().ConfigMaps(namespace),
				object: func(name string) *corev1.ConfigMap {
					return &corev1.ConfigMap{ObjectMeta: named(name), Data: map[string]string{"a": "1"}, BinaryData: map[string][]byte{"b": {0, 255}}}
				},
				change:     func(one *corev1.ConfigMap) { one.Data["c"] = "2" },
				hasChanged: func(one *corev1.ConfigMap) bool { return one.Data["c"] == "2" && len(one.BinaryData["b"]) == 2 },
				patch:      `{"data":{"a":null,"d":"3"}}`,
				isPatched:  func(one *corev1.ConfigMap) bool { return len(one.Data) == 2 && one.Data["d"] == "3" },
				apply: func(name string) *coreapply.ConfigMapApplyConfiguration {
					return coreapply.ConfigMap(name, namespace).WithData(map[string]string{"e": "4"})
				},
				isApplied: func(one *corev1.ConfigMap) bool { return one.Data["e"] == "4" && one.Data["d"] == "3" },
			}.run(t, "cm")
		})
		t.Run("Secret", func(t *testing.T) {
			walk[*corev1.Secret, *corev1.SecretList, *coreapply.SecretApplyConfiguration]{
				client: client.CoreV1().Secrets(namespace),
				object: func(name string) *corev1.Secret {
					return &corev1.Secret{ObjectMeta: named(name), StringData: map[string]string{"a": "secret"}}
				},
				change: func(one *corev1.Secret) { one.Data["b"] = []byte("other") },
				hasChanged: func(one *corev1.Secret) bool {
					return string(one.Data["a"]) == "secret" && string(one.Data["b"]) == "other" && one.Type == corev1.SecretTypeOpaque
				},
				patch:     `{"stringData":{"c":"third"}}`,
				isPatched: func(one *corev1.Secret) bool { return string(one.Data["c"]) == "third" },
				apply: func(name string) *coreapply.SecretApplyConfiguration {
					return coreapply.Secret(name, namespace).WithData(map[string][]byte{"d": []byte("fourth")})
				},
				isApplied: func(one *corev1.Secret) bool { return string(one.Data["d"]) == "fourth" },
			}.run(t, "secret")
		})
		t.Run("ServiceAccount", func(t *testing.T) {
			walk[*corev1.ServiceAccount, *corev1.ServiceAccountList, *coreapply.ServiceAccountApplyConfiguration]{
				client: client.CoreV1().ServiceAccounts(namespace),
				object: func(name string) *corev1.ServiceAccount {
					return &corev1.ServiceAccount{ObjectMeta: named(name), Secrets: []corev1.ObjectReference{{Name: "a"}, {Name: "b"}}}
				},
				change:     func(one *corev1.ServiceAccount) { one.AutomountServiceAccountToken = new(bool) },
				hasChanged: func(one *corev1.ServiceAccount) bool { return one.AutomountServiceAccountToken != nil },
				patch:      `{"secrets":[{"name":"c"},{"$patch":"delete","name":"a"}]}`,
				isPatched:  func(one *corev1.ServiceAccount) bool { return len(one.Secrets) == 2 && one.Secrets[0].Name == "c" },
				apply: func(name string) *coreapply.ServiceAccountApplyConfiguration {
					return coreapply.ServiceAccount(name, namespace).WithSecrets(coreapply.ObjectReference().WithName("d"))
				},
				isApplied: func(one *corev1.ServiceAccount) bool { return len(one.Secrets) == 3 },
			}.run(t, "account")
		})
		t.Run("ResourceQuota", func(t *testing.T) {
			plenty := resource.MustParse("1k")
			walk[*corev1.ResourceQuota, *corev1.ResourceQuotaList, *coreapply.ResourceQuotaApplyConfiguration]{
				client: client.CoreV1().ResourceQuotas(namespace),
				object: func(name string) *corev1.ResourceQuota {
					return &corev1.ResourceQuota{ObjectMeta: named(name), Spec: corev1.ResourceQuotaSpec{Hard: corev1.ResourceList{"count/widgets.example.com": plenty}}}
				},
				change:     func(one *corev1.ResourceQuota) { one.Spec.Hard["count/gadgets.example.com"] = plenty },
				hasChanged: func(one *corev1.ResourceQuota) bool { return one.Spec.Hard["count/gadgets.example.com"].Equal(plenty) },
				patch:      `{"spec":{"hard":{"count/gizmos.example.com":"7"}}}`,
				isPatched:  func(one *corev1.ResourceQuota) bool { return len(one.Spec.Hard) == 3 },
				apply: func(name string) *coreapply.ResourceQuotaApplyConfiguration {
					return coreapply.ResourceQuota(name, namespace).WithSpec(coreapply.ResourceQuotaSpec().WithHard(corev1.ResourceList{"count/others.example.com": plenty}))
				},
				isApplied: func(one *corev1.ResourceQuota) bool { return len(one.Spec.Hard) == 4 },
			}.run(t, "quota")
		})
		t.Run("Event", func(t *testing.T) {
			walk[*corev1.Event, *corev1.EventList, *coreapply.EventApplyConfiguration]{
				client: client.CoreV1().Events(namespace),
				object: func(name string) *corev1.Event {
					return &corev1.Event{ObjectMeta: named(name), InvolvedObject: corev1.ObjectReference{Kind: "ConfigMap", Namespace: namespace, Name: "x"}, Reason: "Walked", Message: "once", FirstTimestamp: metav1.Now()}
				},
				change:     func(one *corev1.Event) { one.Count = 2 },
				hasChanged: func(one *corev1.Event) bool { return one.Count == 2 && !one.FirstTimestamp.IsZero() },
				patch:      `{"message":"twice"}`,
				isPatched:  func(one *corev1.Event) bool { return one.Message == "twice" },
				apply: func(name string) *coreapply.EventApplyConfiguration {
					return coreapply.Event(name, namespace).WithAction("Walk")
				},
				isApplied: func(one *corev1.Event) bool { return one.Action == "Walk" },
			}.run(t, "event")
		})
		t.Run("Event of events.k8s.io", func(t *testing.T) {
			walk[*eventsv1.Event, *eventsv1.EventList, *eventsapply.EventApplyConfiguration]{
				client: client.EventsV1().Events(namespace),
				object: func(name string) *eventsv1.Event {
					return &eventsv1.Event{ObjectMeta: named(name), EventTime: metav1.NowMicro(), ReportingController: "flotilla.test/walker", ReportingInstance: "one", Action: "Walk", Reason: "Walked", Type: "Normal", Regarding: corev1.ObjectReference{Kind: "ConfigMap", Namespace: namespace, Name: "y"}}
				},
				change: func(one *eventsv1.Event) {
					one.Series = &eventsv1.EventSeries{Count: 2, LastObservedTime: metav1.NowMicro()}
				},
				hasChanged: func(one *eventsv1.Event) bool { return one.Series != nil },
				patch:      `{"series":{"count":3}}`,
				isPatched:  func(one *eventsv1.Event) bool { return one.Series.Count == 3 },
				apply: func(name string) *eventsapply.EventApplyConfiguration {
					return eventsapply.Event(name, namespace).WithLabels(map[string]string{"applied": "yes"})
				},
				isApplied: func(one *eventsv1.Event) bool { return one.Labels["applied"] == "yes" },
			}.run(t, "group-event")
		})
		t.Run("Lease", func(t *testing.T) {
			holder, other := "one", "two"
			walk[*coordinationv1.Lease, *coordinationv1.LeaseList, *coordinationapply.LeaseApplyConfiguration]{
				client: client.CoordinationV1().Leases(namespace),
				object: func(name string) *coordinationv1.Lease {
					return &coordinationv1.Lease{ObjectMeta: named(name), Spec: coordinationv1.LeaseSpec{HolderIdentity: &holder}}
				},
				change: func(one *coordinationv1.Lease) {
					now := metav1.NowMicro()
					one.Spec.RenewTime = &now
				},
				hasChanged: func(one *coordinationv1.Lease) bool { return one.Spec.RenewTime != nil },
				patch:      `{"spec":{"leaseDurationSeconds":5}}`,
				isPatched:  func(one *coordinationv1.Lease) bool { return *one.Spec.LeaseDurationSeconds == 5 },
				apply: func(name string) *coordinationapply.LeaseApplyConfiguration {
					return coordinationapply.Lease(name, namespace).WithSpec(coordinationapply.LeaseSpec().WithHolderIdentity(other))
				},
				isApplied: func(one *coordinationv1.Lease) bool { return *one.Spec.HolderIdentity == other },
			}.run(t, "lease")
		})
		t.Run("Namespace", func(t *testing.T) {
			walk[*corev1.Namespace, *corev1.NamespaceList, *coreapply.NamespaceApplyConfiguration]{
				client:     client.CoreV1().Namespaces(),
				oneByOne:   true,
				object:     func(name string) *corev1.Namespace { return &corev1.Namespace{ObjectMeta: named(name)} },
				change:     func(one *corev1.Namespace) { one.Annotations = map[string]string{"changed": "yes"} },
				hasChanged: func(one *corev1.Namespace) bool { return one.Annotations["changed"] == "yes" },
				patch:      `{"metadata":{"labels":{"patched":"yes"}}}`,
				isPatched:  func(one *corev1.Namespace) bool { return one.Labels["patched"] == "yes" },
				apply: func(name string) *coreapply.NamespaceApplyConfiguration {
					return coreapply.Namespace(name).WithLabels(map[string]string{"applied": "yes"})
				},
				isApplied: func(one *corev1.Namespace) bool {
					return one.Labels["applied"] == "yes" && one.Status.Phase == corev1.NamespaceActive
				},
			}.run(t, namespace)
		})
	})
}

func TestReviewsAndTokensAnswerInProtobuf(t *testing.T) {
	ctx, client, namespace := deadline(t), typed(t), newNamespace(t, "reviews")
	_, err := client.CoreV1().ServiceAccounts(namespace).Create(ctx, &corev1.ServiceAccount{ObjectMeta: named("robot")}, metav1.CreateOptions{})
	must(t, "create of an account", err)
	token, err := client.CoreV1().ServiceAccounts(namespace).CreateToken(ctx, "robot", &authenticationv1.TokenRequest{}, metav1.CreateOptions{})
	must(t, "token", err)
	review, err := client.AuthenticationV1().TokenReviews().Create(ctx, &authenticationv1.TokenReview{
		Spec: authenticationv1.TokenReviewSpec{Token: token.Status.Token},
	}, metav1.CreateOptions{})
	user := "system:serviceaccount:" + namespace + ":robot"
	if err != nil || !review.Status.Authenticated || review.Status.User.Username != user {
		t.Fatalf("token review: %v %+v", err, review)
	}
	attributes := &authorizationv1.ResourceAttributes{Namespace: namespace, Verb: "get", Resource: "configmaps"}
	local, err := client.AuthorizationV1().LocalSubjectAccessReviews(namespace).Create(ctx, &authorizationv1.LocalSubjectAccessReview{
		ObjectMeta: metav1.ObjectMeta{Namespace: namespace},
		Spec:       authorizationv1.SubjectAccessReviewSpec{User: user, ResourceAttributes: attributes},
	}, metav1.CreateOptions{})
	if err != nil || local.Status.Allowed {
		t.Fatalf("access of an account: %v %+v", err, local)
	}
	self, err := client.AuthorizationV1().SelfSubjectAccessReviews().Create(ctx, &authorizationv1.SelfSubjectAccessReview{
		Spec: authorizationv1.SelfSubjectAccessReviewSpec{ResourceAttributes: attributes},
	}, metav1.CreateOptions{})
	if err != nil || !self.Status.Allowed {
		t.Fatalf("one's own access: %v %+v", err, self)
	}
	rules, err := client.AuthorizationV1().SelfSubjectRulesReviews().Create(ctx, &authorizationv1.SelfSubjectRulesReview{
		Spec: authorizationv1.SelfSubjectRulesReviewSpec{Namespace: namespace},
	}, metav1.CreateOptions{})
	if err != nil || len(rules.Status.ResourceRules) == 0 {
		t.Fatalf("rules: %v %+v", err, rules)
	}
}
