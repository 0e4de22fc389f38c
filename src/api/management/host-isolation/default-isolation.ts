import type { HostIsolation } from './host-isolation.ts';

/**
 * The default isolation of host namespaces in new installations. Pods of tenants cannot reach those of other tenants,
 * the network of the host or the metadata service of a cloud. The quotas are far above the needs of most virtual
 * clusters; they prevent one tenant from using a whole host.
 */
export const newInstallationIsolation = {
  isolateNetwork: true,
  deniedEgressCIDRs: [
    // Private ranges, which include those of pods, services and nodes.
    '10.0.0.0/8',
    '172.16.0.0/12',
    '192.168.0.0/16',
    '100.64.0.0/10',
    'fc00::/7',
    // Addresses of the node itself, and link-local services such as the metadata service of a cloud.
    '127.0.0.0/8',
    '169.254.0.0/16',
    'fe80::/10',
  ],
  resourceQuota: {
    pods: 200,
    services: 200,
    persistentvolumeclaims: 100,
    'requests.cpu': 64,
    'requests.memory': '256Gi',
    'requests.storage': '1Ti',
  },
  limitRange: {
    // There is no CPU limit: it would throttle the control planes, which set none.
    default: { memory: '2Gi' },
    defaultRequest: { cpu: '50m', memory: '64Mi' },
  },
} as const satisfies HostIsolation;

/**
 * Returns the defaults with the fields of `isolation`, including those of `limitRange`, in place of the default ones.
 */
export function withNewInstallationIsolation(isolation: HostIsolation): HostIsolation {
  const limitRange = { ...newInstallationIsolation.limitRange, ...isolation.limitRange };
  return { ...newInstallationIsolation, ...isolation, limitRange };
}
