/**
 * The structs of k8s.io/api/discovery/v1 that served kinds use.
 * Made by scripts/kubernetes-types from k8s.io/api v0.36.3; do not edit.
 */
export const discoveryStructs = `
Endpoint addresses!:1:[]string~set conditions:2:EndpointConditions hostname:3:*string targetRef:4:*core.ObjectReference deprecatedTopology:5:{}string nodeName:6:*string zone:7:*string hints:8:*EndpointHints
EndpointConditions ready:1:*bool serving:2:*bool terminating:3:*bool
EndpointHints forZones:1:[]ForZone~atomic forNodes:2:[]ForNode~atomic
EndpointPort@ name:1:*string protocol:2:*string port:3:*int32 appProtocol:4:*string
EndpointSlice# metadata:1:meta.ObjectMeta addressType!:4:string endpoints?:2:[]Endpoint~atomic ports?:3:[]EndpointPort~atomic
ForNode name!:1:string
ForZone name!:1:string
`;
