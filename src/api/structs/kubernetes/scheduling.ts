/**
 * The structs of k8s.io/api/scheduling/v1 that served kinds use.
 * Made by scripts/kubernetes-types from k8s.io/api v0.36.3; do not edit.
 */
export const schedulingStructs = `
PriorityClass# metadata:1:meta.ObjectMeta value?:2:int32 globalDefault:3:bool description:4:string preemptionPolicy:5:*string
`;
