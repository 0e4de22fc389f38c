/**
 * The structs of k8s.io/apimachinery/pkg/apis/meta/v1 that served kinds use.
 * Made by scripts/kubernetes-types from k8s.io/apimachinery v0.36.3; do not edit.
 */
export const metaStructs = `
Condition type!:1:string status!:2:string observedGeneration:3:int64 lastTransitionTime!:4:time reason!:5:string message!:6:string
DeleteOptions kind:0:string apiVersion:0:string gracePeriodSeconds:1:*int64 preconditions:2:*Preconditions orphanDependents:3:*bool propagationPolicy:4:*string dryRun:5:[]string~atomic ignoreStoreReadErrorWithClusterBreakingPotential:6:*bool
LabelSelector@ matchLabels:1:{}string matchExpressions:2:[]LabelSelectorRequirement~atomic
LabelSelectorRequirement key!:1:string operator!:2:string values:3:[]string~atomic
ManagedFieldsEntry manager:1:string operation:2:string apiVersion:3:string time:4:*time fieldsType:6:string fieldsV1:7:*fieldsV1 subresource:8:string
ObjectMeta name:1:string generateName:2:string namespace:3:string selfLink:4:string uid:5:string resourceVersion:6:string generation:7:int64 creationTimestamp:8:time deletionTimestamp:9:*time deletionGracePeriodSeconds:10:*int64 labels:11:{}string annotations:12:{}string ownerReferences:13:[]OwnerReference~map(uid)%merge(uid) finalizers:14:[]string~set%merge managedFields:17:[]ManagedFieldsEntry~atomic
OwnerReference@ apiVersion!:5:string kind!:1:string name!:3:string uid!:4:string controller:6:*bool blockOwnerDeletion:7:*bool
Preconditions uid:1:*string resourceVersion:2:*string
`;
