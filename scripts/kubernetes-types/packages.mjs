/**
 * The release of the Kubernetes modules that contain the types. It equals the release of the kube-apiserver in
 * test/tools.
 */
export const version = 'v0.36.3';

/**
 * The packages to read. `alias` is the name by which the tables refer to a package. The generator writes the structs of
 * `kinds` and all structs that these use. Kinds that have hand-written structs in src/api/structs are not listed.
 */
export const packages = [
  { alias: 'meta', path: 'k8s.io/apimachinery/pkg/apis/meta/v1', kinds: [] },
  {
    alias: 'core',
    apiVersion: 'v1',
    path: 'k8s.io/api/core/v1',
    kinds: [
      'Binding',
      'ComponentStatus',
      'Endpoints',
      'LimitRange',
      'Node',
      'PersistentVolume',
      'PersistentVolumeClaim',
      'Pod',
      'PodTemplate',
      'ReplicationController',
      'Service',
    ],
  },
  {
    alias: 'admissionregistration',
    apiVersion: 'admissionregistration.k8s.io/v1',
    path: 'k8s.io/api/admissionregistration/v1',
    kinds: [
      'MutatingAdmissionPolicy',
      'MutatingAdmissionPolicyBinding',
      'MutatingWebhookConfiguration',
      'ValidatingWebhookConfiguration',
    ],
  },
  {
    alias: 'apiregistration',
    apiVersion: 'apiregistration.k8s.io/v1',
    path: 'k8s.io/kube-aggregator/pkg/apis/apiregistration/v1',
    kinds: ['APIService'],
  },
  {
    alias: 'apps',
    apiVersion: 'apps/v1',
    path: 'k8s.io/api/apps/v1',
    kinds: ['ControllerRevision', 'DaemonSet', 'Deployment', 'ReplicaSet', 'StatefulSet'],
  },
  {
    alias: 'autoscaling',
    apiVersion: 'autoscaling/v1',
    path: 'k8s.io/api/autoscaling/v1',
    kinds: ['HorizontalPodAutoscaler'],
    // Annotations of v1 autoscalers contain values of these types.
    structs: ['HorizontalPodAutoscalerCondition', 'MetricSpec', 'MetricStatus'],
  },
  {
    alias: 'autoscalingV2',
    apiVersion: 'autoscaling/v2',
    path: 'k8s.io/api/autoscaling/v2',
    kinds: ['HorizontalPodAutoscaler'],
  },
  { alias: 'batch', apiVersion: 'batch/v1', path: 'k8s.io/api/batch/v1', kinds: ['CronJob', 'Job'] },
  {
    alias: 'certificates',
    apiVersion: 'certificates.k8s.io/v1',
    path: 'k8s.io/api/certificates/v1',
    kinds: ['CertificateSigningRequest'],
  },
  { alias: 'discovery', apiVersion: 'discovery.k8s.io/v1', path: 'k8s.io/api/discovery/v1', kinds: ['EndpointSlice'] },
  {
    alias: 'flowcontrol',
    apiVersion: 'flowcontrol.apiserver.k8s.io/v1',
    path: 'k8s.io/api/flowcontrol/v1',
    kinds: ['FlowSchema', 'PriorityLevelConfiguration'],
  },
  {
    alias: 'networking',
    apiVersion: 'networking.k8s.io/v1',
    path: 'k8s.io/api/networking/v1',
    kinds: ['IPAddress', 'Ingress', 'IngressClass', 'NetworkPolicy', 'ServiceCIDR'],
  },
  { alias: 'node', apiVersion: 'node.k8s.io/v1', path: 'k8s.io/api/node/v1', kinds: ['RuntimeClass'] },
  {
    alias: 'policy',
    apiVersion: 'policy/v1',
    path: 'k8s.io/api/policy/v1',
    kinds: ['Eviction', 'PodDisruptionBudget'],
  },
  {
    alias: 'resource',
    apiVersion: 'resource.k8s.io/v1',
    path: 'k8s.io/api/resource/v1',
    kinds: ['DeviceClass', 'ResourceClaim', 'ResourceClaimTemplate', 'ResourceSlice'],
  },
  {
    alias: 'scheduling',
    apiVersion: 'scheduling.k8s.io/v1',
    path: 'k8s.io/api/scheduling/v1',
    kinds: ['PriorityClass'],
  },
  {
    alias: 'storage',
    apiVersion: 'storage.k8s.io/v1',
    path: 'k8s.io/api/storage/v1',
    kinds: ['CSIDriver', 'CSINode', 'CSIStorageCapacity', 'StorageClass', 'VolumeAttachment', 'VolumeAttributesClass'],
  },
];
