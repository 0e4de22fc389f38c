/**
 * The structs of k8s.io/api/autoscaling/v1 that served kinds use.
 * Made by scripts/kubernetes-types from k8s.io/api v0.36.3; do not edit.
 */
export const autoscalingStructs = `
ContainerResourceMetricSource name!:1:string targetAverageUtilization:2:*int32 targetAverageValue:3:*quantity container!:5:string
ContainerResourceMetricStatus name!:1:string currentAverageUtilization:2:*int32 currentAverageValue!:3:quantity container!:4:string
CrossVersionObjectReference@ kind!:1:string name!:2:string apiVersion:3:string
ExternalMetricSource metricName!:1:string metricSelector:2:*meta.LabelSelector targetValue:3:*quantity targetAverageValue:4:*quantity
ExternalMetricStatus metricName!:1:string metricSelector:2:*meta.LabelSelector currentValue!:3:quantity currentAverageValue:4:*quantity
HorizontalPodAutoscaler# metadata:1:meta.ObjectMeta spec^:2:HorizontalPodAutoscalerSpec status:3:HorizontalPodAutoscalerStatus
HorizontalPodAutoscalerCondition type!:1:string status!:2:string lastTransitionTime:3:time reason:4:string message:5:string
HorizontalPodAutoscalerSpec scaleTargetRef!:1:CrossVersionObjectReference minReplicas:2:*int32 maxReplicas!:3:int32 targetCPUUtilizationPercentage:4:*int32
HorizontalPodAutoscalerStatus observedGeneration:1:*int64 lastScaleTime:2:*time currentReplicas!:3:int32 desiredReplicas!:4:int32 currentCPUUtilizationPercentage:5:*int32
MetricSpec type!:1:string object:2:*ObjectMetricSource pods:3:*PodsMetricSource resource:4:*ResourceMetricSource containerResource:7:*ContainerResourceMetricSource external:5:*ExternalMetricSource
MetricStatus type!:1:string object:2:*ObjectMetricStatus pods:3:*PodsMetricStatus resource:4:*ResourceMetricStatus containerResource:7:*ContainerResourceMetricStatus external:5:*ExternalMetricStatus
ObjectMetricSource target!:1:CrossVersionObjectReference metricName!:2:string targetValue!:3:quantity selector:4:*meta.LabelSelector averageValue:5:*quantity
ObjectMetricStatus target!:1:CrossVersionObjectReference metricName!:2:string currentValue!:3:quantity selector:4:*meta.LabelSelector averageValue:5:*quantity
PodsMetricSource metricName!:1:string targetAverageValue!:2:quantity selector:3:*meta.LabelSelector
PodsMetricStatus metricName!:1:string currentAverageValue!:2:quantity selector:3:*meta.LabelSelector
ResourceMetricSource name!:1:string targetAverageUtilization:2:*int32 targetAverageValue:3:*quantity
ResourceMetricStatus name!:1:string currentAverageUtilization:2:*int32 currentAverageValue!:3:quantity
`;
