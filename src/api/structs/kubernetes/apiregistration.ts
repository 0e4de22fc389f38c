/**
 * The structs of k8s.io/kube-aggregator/pkg/apis/apiregistration/v1 that served kinds use.
 * Made by scripts/kubernetes-types from k8s.io/kube-aggregator v0.36.3; do not edit.
 */
export const apiregistrationStructs = `
APIService# metadata:1:meta.ObjectMeta spec:2:APIServiceSpec status:3:APIServiceStatus
APIServiceCondition type!:1:string status!:2:string lastTransitionTime:3:time reason:4:string message:5:string
APIServiceSpec service:1:*ServiceReference group:2:string version:3:string insecureSkipTLSVerify:4:bool caBundle:5:bytes~atomic groupPriorityMinimum!:7:int32 versionPriority!:8:int32
APIServiceStatus conditions:1:[]APIServiceCondition~map(type)%merge(type)
ServiceReference namespace:1:string name:2:string port:3:*int32
`;
