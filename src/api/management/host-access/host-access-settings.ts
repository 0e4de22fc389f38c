/** The settings that limit what templates do to hosts. */
export interface HostAccessSettings {
  /**
   * Paths of the chart values that authors without the permission `hostaccess` may set, such as `controlPlane.statefulSet.resources`. A path includes everything below it; `*`
   * matches any one member.
   */
  readonly allowedValues: readonly string[];
  /** Resources that all templates may apply in host namespaces, such as `configmaps` or `deployments.apps`. */
  readonly allowedResources: readonly string[];
}

/**
 * Synced resources that are namespaced, so they stay in the namespace of the tenant. Ingresses are excluded, because an
 * ingress controller of the host serves the host names of all tenants together. Network policies are excluded, because
 * they can allow traffic that the host does not.
 */
const namespacedSyncs = [
  'pods',
  'services',
  'endpoints',
  'endpointSlices',
  'configMaps',
  'secrets',
  'persistentVolumeClaims',
  'podDisruptionBudgets',
  'serviceAccounts',
  'volumeSnapshots',
];

export const defaultHostAccessSettings: HostAccessSettings = {
  allowedValues: [
    'controlPlane.statefulSet.resources',
    'controlPlane.statefulSet.persistence.volumeClaim.size',
    'sleepMode',
    ...namespacedSyncs.map((name) => `sync.toHost.${name}.enabled`),
  ],
  // Roles, bindings, webhooks, custom resources and virtual clusters are excluded, because they affect more than the
  // namespace or are not counted by any quota.
  allowedResources: [
    'configmaps',
    'secrets',
    'services',
    'serviceaccounts',
    'persistentvolumeclaims',
    'pods',
    'limitranges',
    'resourcequotas',
    'deployments.apps',
    'statefulsets.apps',
    'jobs.batch',
    'cronjobs.batch',
    'ingresses.networking.k8s.io',
    'networkpolicies.networking.k8s.io',
    'poddisruptionbudgets.policy',
    'horizontalpodautoscalers.autoscaling',
  ],
};
