/**
 * The structs of k8s.io/api/resource/v1 that served kinds use.
 * Made by scripts/kubernetes-types from k8s.io/api v0.36.3; do not edit.
 */
export const resourceStructs = `
AllocatedDeviceStatus driver!:1:string pool!:2:string device!:3:string shareID:7:*string conditions?:4:[]meta.Condition~map(type) data:5:*rawExtension networkData:6:*NetworkDeviceData
AllocationResult devices:1:DeviceAllocationResult nodeSelector:3:*core.NodeSelector allocationTimestamp:5:*time
CELDeviceSelector expression!:1:string
CapacityRequestPolicy default?:1:*quantity validValues:3:[]quantity~atomic validRange:4:*CapacityRequestPolicyRange
CapacityRequestPolicyRange min^:1:*quantity max:2:*quantity step:3:*quantity
CapacityRequirements requests:1:{}quantity
Counter value!:1:quantity
CounterSet name!:1:string counters^:2:{}Counter
Device name!:1:string attributes:2:{}DeviceAttribute capacity:3:{}DeviceCapacity consumesCounters:4:[]DeviceCounterConsumption~atomic nodeName:5:*string nodeSelector:6:*core.NodeSelector allNodes:7:*bool taints:8:[]DeviceTaint~atomic bindsToNode:9:*bool bindingConditions:10:[]string~atomic bindingFailureConditions:11:[]string~atomic allowMultipleAllocations:12:*bool nodeAllocatableResourceMappings:13:{}NodeAllocatableResourceMapping
DeviceAllocationConfiguration source!:1:string requests:2:[]string~atomic !:3:DeviceConfiguration
DeviceAllocationResult results:1:[]DeviceRequestAllocationResult~atomic config:2:[]DeviceAllocationConfiguration~atomic
DeviceAttribute int:2:*int64 bool:3:*bool string:4:*string version:5:*string ints:6:[]int64~atomic bools:7:[]bool~atomic strings:8:[]string~atomic versions:9:[]string~atomic
DeviceCapacity value!:1:quantity requestPolicy:2:*CapacityRequestPolicy
DeviceClaim requests?:1:[]DeviceRequest~atomic constraints:2:[]DeviceConstraint~atomic config:3:[]DeviceClaimConfiguration~atomic
DeviceClaimConfiguration requests:1:[]string~atomic !:2:DeviceConfiguration
DeviceClass# metadata:1:meta.ObjectMeta spec!:2:DeviceClassSpec
DeviceClassConfiguration !:1:DeviceConfiguration
DeviceClassSpec selectors:1:[]DeviceSelector~atomic config:2:[]DeviceClassConfiguration~atomic extendedResourceName:4:*string
DeviceConfiguration opaque:1:*OpaqueDeviceConfiguration
DeviceConstraint requests:1:[]string~atomic matchAttribute:2:*string distinctAttribute:3:*string
DeviceCounterConsumption counterSet!:1:string counters^:2:{}Counter
DeviceRequest name!:1:string exactly:2:*ExactDeviceRequest firstAvailable:3:[]DeviceSubRequest~atomic
DeviceRequestAllocationResult request!:1:string driver!:2:string pool!:3:string device!:4:string adminAccess:5:*bool tolerations:6:[]DeviceToleration~atomic bindingConditions:7:[]string~atomic bindingFailureConditions:8:[]string~atomic shareID:9:*string consumedCapacity:10:{}quantity
DeviceSelector cel:1:*CELDeviceSelector
DeviceSubRequest name!:1:string deviceClassName!:2:string selectors:3:[]DeviceSelector~atomic allocationMode:4:string count:5:int64 tolerations:6:[]DeviceToleration~atomic capacity:7:*CapacityRequirements
DeviceTaint key!:1:string value:2:string effect!:3:string timeAdded:4:*time
DeviceToleration key:1:string operator:2:string="Equal" value:3:string effect:4:string tolerationSeconds:5:*int64
ExactDeviceRequest deviceClassName!:1:string selectors:2:[]DeviceSelector~atomic allocationMode:3:string count:4:int64 adminAccess:5:*bool tolerations:6:[]DeviceToleration~atomic capacity:7:*CapacityRequirements
NetworkDeviceData interfaceName:1:string ips:2:[]string~atomic hardwareAddress:3:string
NodeAllocatableResourceMapping capacityKey:1:*string allocationMultiplier:2:*quantity
OpaqueDeviceConfiguration driver!:1:string parameters!:2:rawExtension
ResourceClaim# metadata:1:meta.ObjectMeta spec!:2:ResourceClaimSpec status:3:ResourceClaimStatus
ResourceClaimConsumerReference apiGroup:1:string resource!:3:string name!:4:string uid!:5:string
ResourceClaimSpec devices?:1:DeviceClaim
ResourceClaimStatus allocation:1:*AllocationResult reservedFor:2:[]ResourceClaimConsumerReference~map(uid)%merge(uid) devices:4:[]AllocatedDeviceStatus~map(driver,device,pool,shareID)
ResourceClaimTemplate# metadata:1:meta.ObjectMeta spec!:2:ResourceClaimTemplateSpec
ResourceClaimTemplateSpec metadata:1:meta.ObjectMeta spec!:2:ResourceClaimSpec
ResourcePool name!:1:string generation!:2:int64 resourceSliceCount!:3:int64
ResourceSlice# metadata:1:meta.ObjectMeta spec!:2:ResourceSliceSpec
ResourceSliceSpec driver!:1:string pool!:2:ResourcePool nodeName:3:*string nodeSelector:4:*core.NodeSelector allNodes:5:*bool devices:6:[]Device~atomic perDeviceNodeSelection:7:*bool sharedCounters:8:[]CounterSet~atomic
`;
