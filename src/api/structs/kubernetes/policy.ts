/**
 * The structs of k8s.io/api/policy/v1 that served kinds use.
 * Made by scripts/kubernetes-types from k8s.io/api v0.36.3; do not edit.
 */
export const policyStructs = `
Eviction# metadata:1:meta.ObjectMeta deleteOptions:2:*meta.DeleteOptions
PodDisruptionBudget# metadata:1:meta.ObjectMeta spec:2:PodDisruptionBudgetSpec status:3:PodDisruptionBudgetStatus
PodDisruptionBudgetSpec minAvailable:1:*intOrString selector:2:*meta.LabelSelector%replace maxUnavailable:3:*intOrString unhealthyPodEvictionPolicy:4:*string
PodDisruptionBudgetStatus observedGeneration:1:int64 disruptedPods:2:{}time disruptionsAllowed?:3:int32 currentHealthy?:4:int32 desiredHealthy?:5:int32 expectedPods?:6:int32 conditions:7:[]meta.Condition~map(type)%merge(type)
`;
