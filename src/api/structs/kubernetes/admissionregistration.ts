/**
 * The structs of k8s.io/api/admissionregistration/v1 that served kinds use.
 * Made by scripts/kubernetes-types from k8s.io/api v0.36.3; do not edit.
 */
export const admissionregistrationStructs = `
ApplyConfiguration expression:1:string
JSONPatch expression:1:string
MatchCondition name!:1:string expression!:2:string
MatchResources@ namespaceSelector:1:*meta.LabelSelector objectSelector:2:*meta.LabelSelector resourceRules:3:[]NamedRuleWithOperations~atomic excludeResourceRules:4:[]NamedRuleWithOperations~atomic matchPolicy:7:*string
MutatingAdmissionPolicy# metadata:1:meta.ObjectMeta spec:2:MutatingAdmissionPolicySpec
MutatingAdmissionPolicyBinding# metadata:1:meta.ObjectMeta spec:2:MutatingAdmissionPolicyBindingSpec
MutatingAdmissionPolicyBindingSpec policyName:1:string paramRef:2:*ParamRef matchResources:3:*MatchResources
MutatingAdmissionPolicySpec paramKind:1:*ParamKind matchConstraints:2:*MatchResources variables:3:[]Variable~atomic mutations:4:[]Mutation~atomic failurePolicy:5:*string matchConditions:6:[]MatchCondition~map(name)%merge(name) reinvocationPolicy:7:string
MutatingWebhook name!:1:string clientConfig!:2:WebhookClientConfig rules:3:[]RuleWithOperations~atomic failurePolicy:4:*string matchPolicy:9:*string namespaceSelector:5:*meta.LabelSelector objectSelector:11:*meta.LabelSelector sideEffects!:6:*string timeoutSeconds:7:*int32 admissionReviewVersions!:8:[]string~atomic reinvocationPolicy:10:*string matchConditions:12:[]MatchCondition~map(name)%merge(name)
MutatingWebhookConfiguration# metadata:1:meta.ObjectMeta webhooks:2:[]MutatingWebhook~map(name)%merge(name)
Mutation patchType!:2:string applyConfiguration:3:*ApplyConfiguration jsonPatch:4:*JSONPatch
NamedRuleWithOperations@ resourceNames:1:[]string~atomic !:2:RuleWithOperations
ParamKind@ apiVersion:1:string kind:2:string
ParamRef@ name:1:string namespace:2:string selector:3:*meta.LabelSelector parameterNotFoundAction:4:*string
Rule apiGroups:1:[]string~atomic apiVersions:2:[]string~atomic resources:3:[]string~atomic scope:4:*string
RuleWithOperations operations:1:[]string~atomic !:2:Rule
ServiceReference namespace!:1:string name!:2:string path:3:*string port:4:*int32
ValidatingWebhook name!:1:string clientConfig!:2:WebhookClientConfig rules:3:[]RuleWithOperations~atomic failurePolicy:4:*string matchPolicy:9:*string namespaceSelector:5:*meta.LabelSelector objectSelector:10:*meta.LabelSelector sideEffects!:6:*string timeoutSeconds:7:*int32 admissionReviewVersions!:8:[]string~atomic matchConditions:11:[]MatchCondition~map(name)%merge(name)
ValidatingWebhookConfiguration# metadata:1:meta.ObjectMeta webhooks:2:[]ValidatingWebhook~map(name)%merge(name)
Variable@ name!:1:string expression!:2:string
WebhookClientConfig url:3:*string service:1:*ServiceReference caBundle:2:bytes
`;
