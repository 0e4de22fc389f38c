/**
 * The structs of k8s.io/api/node/v1 that served kinds use.
 * Made by scripts/kubernetes-types from k8s.io/api v0.36.3; do not edit.
 */
export const nodeStructs = `
Overhead podFixed:1:{}quantity
RuntimeClass# metadata:1:meta.ObjectMeta handler!:2:string overhead:3:*Overhead scheduling:4:*Scheduling
Scheduling nodeSelector:1:{}string@ tolerations:2:[]core.Toleration~atomic
`;
