package planes

import (
	"testing"

	admissionv1 "k8s.io/api/admissionregistration/v1"
	rbacv1 "k8s.io/api/rbac/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	admissionapply "k8s.io/client-go/applyconfigurations/admissionregistration/v1"
	rbacapply "k8s.io/client-go/applyconfigurations/rbac/v1"
)

func rule(verbs ...string) rbacv1.PolicyRule {
	return rbacv1.PolicyRule{APIGroups: []string{""}, Resources: []string{"configmaps"}, Verbs: verbs}
}

func appliedRule() *rbacapply.PolicyRuleApplyConfiguration {
	return rbacapply.PolicyRule().WithAPIGroups("").WithResources("secrets").WithVerbs("list")
}

const patchedRules = `{"rules":[{"apiGroups":[""],"resources":["configmaps"],"verbs":["watch"]}]}`

func TestRolesAndBindingsAreWalkedInProtobuf(t *testing.T) {
	client, namespace := typed(t).RbacV1(), newNamespace(t, "rbac")
	t.Run("kinds", func(t *testing.T) {
		t.Run("Role", func(t *testing.T) {
			walk[*rbacv1.Role, *rbacv1.RoleList, *rbacapply.RoleApplyConfiguration]{
				client: client.Roles(namespace),
				object: func(name string) *rbacv1.Role {
					return &rbacv1.Role{ObjectMeta: named(name), Rules: []rbacv1.PolicyRule{rule("get")}}
				},
				change:     func(one *rbacv1.Role) { one.Annotations = map[string]string{"changed": "yes"} },
				hasChanged: func(one *rbacv1.Role) bool { return one.Annotations["changed"] == "yes" },
				patch:      patchedRules,
				isPatched:  func(one *rbacv1.Role) bool { return len(one.Rules) == 1 && one.Rules[0].Verbs[0] == "watch" },
				apply: func(name string) *rbacapply.RoleApplyConfiguration {
					return rbacapply.Role(name, namespace).WithRules(appliedRule())
				},
				isApplied: func(one *rbacv1.Role) bool { return len(one.Rules) == 1 && one.Rules[0].Resources[0] == "secrets" },
			}.run(t, "role")
		})
		t.Run("ClusterRole", func(t *testing.T) {
			walk[*rbacv1.ClusterRole, *rbacv1.ClusterRoleList, *rbacapply.ClusterRoleApplyConfiguration]{
				client: client.ClusterRoles(),
				object: func(name string) *rbacv1.ClusterRole {
					return &rbacv1.ClusterRole{ObjectMeta: named(name), Rules: []rbacv1.PolicyRule{rule("get")}}
				},
				change:     func(one *rbacv1.ClusterRole) { one.Annotations = map[string]string{"changed": "yes"} },
				hasChanged: func(one *rbacv1.ClusterRole) bool { return one.Annotations["changed"] == "yes" },
				patch:      patchedRules,
				isPatched:  func(one *rbacv1.ClusterRole) bool { return one.Rules[0].Verbs[0] == "watch" },
				apply: func(name string) *rbacapply.ClusterRoleApplyConfiguration {
					return rbacapply.ClusterRole(name).WithRules(appliedRule())
				},
				isApplied: func(one *rbacv1.ClusterRole) bool { return one.Rules[0].Resources[0] == "secrets" },
			}.run(t, namespace+"-role")
		})
		t.Run("RoleBinding", func(t *testing.T) {
			walk[*rbacv1.RoleBinding, *rbacv1.RoleBindingList, *rbacapply.RoleBindingApplyConfiguration]{
				client: client.RoleBindings(namespace),
				object: func(name string) *rbacv1.RoleBinding {
					return &rbacv1.RoleBinding{ObjectMeta: named(name), RoleRef: rbacv1.RoleRef{APIGroup: rbacv1.GroupName, Kind: "ClusterRole", Name: "view"}}
				},
				change: func(one *rbacv1.RoleBinding) {
					one.Subjects = []rbacv1.Subject{{APIGroup: rbacv1.GroupName, Kind: "User", Name: "jane"}}
				},
				hasChanged: func(one *rbacv1.RoleBinding) bool { return len(one.Subjects) > 0 && one.RoleRef.Name == "view" },
				patch:      `{"subjects":[{"kind":"ServiceAccount","name":"robot","namespace":"default"}]}`,
				isPatched:  func(one *rbacv1.RoleBinding) bool { return len(one.Subjects) == 1 && one.Subjects[0].Name == "robot" },
				apply: func(name string) *rbacapply.RoleBindingApplyConfiguration {
					return rbacapply.RoleBinding(name, namespace).
						WithRoleRef(rbacapply.RoleRef().WithAPIGroup(rbacv1.GroupName).WithKind("ClusterRole").WithName("view")).
						WithSubjects(rbacapply.Subject().WithKind("Group").WithAPIGroup(rbacv1.GroupName).WithName("sailors"))
				},
				isApplied: func(one *rbacv1.RoleBinding) bool { return len(one.Subjects) == 1 && one.Subjects[0].Kind == "Group" },
			}.run(t, "binding")
		})
		t.Run("ClusterRoleBinding", func(t *testing.T) {
			walk[*rbacv1.ClusterRoleBinding, *rbacv1.ClusterRoleBindingList, *rbacapply.ClusterRoleBindingApplyConfiguration]{
				client: client.ClusterRoleBindings(),
				object: func(name string) *rbacv1.ClusterRoleBinding {
					return &rbacv1.ClusterRoleBinding{ObjectMeta: named(name), RoleRef: rbacv1.RoleRef{APIGroup: rbacv1.GroupName, Kind: "ClusterRole", Name: "view"}}
				},
				change: func(one *rbacv1.ClusterRoleBinding) {
					one.Subjects = []rbacv1.Subject{{APIGroup: rbacv1.GroupName, Kind: "User", Name: "jane"}}
				},
				hasChanged: func(one *rbacv1.ClusterRoleBinding) bool { return len(one.Subjects) > 0 },
				patch:      `{"metadata":{"annotations":{"patched":"yes"}}}`,
				isPatched:  func(one *rbacv1.ClusterRoleBinding) bool { return one.Annotations["patched"] == "yes" },
				apply: func(name string) *rbacapply.ClusterRoleBindingApplyConfiguration {
					return rbacapply.ClusterRoleBinding(name).
						WithRoleRef(rbacapply.RoleRef().WithAPIGroup(rbacv1.GroupName).WithKind("ClusterRole").WithName("view")).
						WithLabels(map[string]string{"applied": "yes"})
				},
				isApplied: func(one *rbacv1.ClusterRoleBinding) bool { return one.Labels["applied"] == "yes" },
			}.run(t, namespace+"-binding")
		})
	})
}

func TestAdmissionPoliciesAreWalkedInProtobuf(t *testing.T) {
	client, namespace := typed(t).AdmissionregistrationV1(), newNamespace(t, "policies")
	fail := admissionv1.Ignore
	// The policies match a kind that does not exist, so that they affect no other test.
	constraints := &admissionv1.MatchResources{ResourceRules: []admissionv1.NamedRuleWithOperations{{
		RuleWithOperations: admissionv1.RuleWithOperations{
			Operations: []admissionv1.OperationType{admissionv1.Create},
			Rule:       admissionv1.Rule{APIGroups: []string{"nobody.example.com"}, APIVersions: []string{"v1"}, Resources: []string{"things"}},
		},
	}}}
	t.Run("kinds", func(t *testing.T) {
		t.Run("ValidatingAdmissionPolicy", func(t *testing.T) {
			walk[*admissionv1.ValidatingAdmissionPolicy, *admissionv1.ValidatingAdmissionPolicyList, *admissionapply.ValidatingAdmissionPolicyApplyConfiguration]{
				client: client.ValidatingAdmissionPolicies(),
				object: func(name string) *admissionv1.ValidatingAdmissionPolicy {
					return &admissionv1.ValidatingAdmissionPolicy{ObjectMeta: named(name), Spec: admissionv1.ValidatingAdmissionPolicySpec{
						MatchConstraints: constraints, Validations: []admissionv1.Validation{{Expression: "true"}},
					}}
				},
				change:     func(one *admissionv1.ValidatingAdmissionPolicy) { one.Spec.FailurePolicy = &fail },
				hasChanged: func(one *admissionv1.ValidatingAdmissionPolicy) bool { return *one.Spec.FailurePolicy == fail },
				patch:      `{"spec":{"matchConditions":[{"name":"a","expression":"true"}]}}`,
				isPatched:  func(one *admissionv1.ValidatingAdmissionPolicy) bool { return len(one.Spec.MatchConditions) == 1 },
				apply: func(name string) *admissionapply.ValidatingAdmissionPolicyApplyConfiguration {
					return admissionapply.ValidatingAdmissionPolicy(name).WithSpec(admissionapply.ValidatingAdmissionPolicySpec().
						WithMatchConditions(admissionapply.MatchCondition().WithName("b").WithExpression("true")))
				},
				isApplied: func(one *admissionv1.ValidatingAdmissionPolicy) bool { return len(one.Spec.MatchConditions) == 2 },
			}.run(t, namespace)
		})
		t.Run("ValidatingAdmissionPolicyBinding", func(t *testing.T) {
			walk[*admissionv1.ValidatingAdmissionPolicyBinding, *admissionv1.ValidatingAdmissionPolicyBindingList, *admissionapply.ValidatingAdmissionPolicyBindingApplyConfiguration]{
				client: client.ValidatingAdmissionPolicyBindings(),
				object: func(name string) *admissionv1.ValidatingAdmissionPolicyBinding {
					return &admissionv1.ValidatingAdmissionPolicyBinding{ObjectMeta: named(name), Spec: admissionv1.ValidatingAdmissionPolicyBindingSpec{
						PolicyName: "nobody", ValidationActions: []admissionv1.ValidationAction{admissionv1.Deny},
					}}
				},
				change: func(one *admissionv1.ValidatingAdmissionPolicyBinding) {
					one.Spec.MatchResources = &admissionv1.MatchResources{ObjectSelector: &metav1.LabelSelector{MatchLabels: map[string]string{"a": "b"}}}
				},
				hasChanged: func(one *admissionv1.ValidatingAdmissionPolicyBinding) bool { return one.Spec.MatchResources != nil },
				patch:      `{"spec":{"validationActions":["Warn"]}}`,
				isPatched: func(one *admissionv1.ValidatingAdmissionPolicyBinding) bool {
					return len(one.Spec.ValidationActions) == 1 && one.Spec.ValidationActions[0] == admissionv1.Warn
				},
				apply: func(name string) *admissionapply.ValidatingAdmissionPolicyBindingApplyConfiguration {
					return admissionapply.ValidatingAdmissionPolicyBinding(name).WithLabels(map[string]string{"applied": "yes"})
				},
				isApplied: func(one *admissionv1.ValidatingAdmissionPolicyBinding) bool { return one.Labels["applied"] == "yes" },
			}.run(t, namespace)
		})
	})
}
