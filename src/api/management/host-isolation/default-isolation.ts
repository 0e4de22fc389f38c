import type { HostIsolation } from './host-isolation.ts';

/**
 * The default isolation of host namespaces in new installations. A tenant's pods cannot reach the pods of other
 * tenants, the host network or the metadata service of a cloud. The quotas are far above the needs of most virtual
 * clusters, but prevent one tenant from using a whole host.
 */
export const newInstallationIsolation = {
  isolateNetwork: true,
  deniedEgressCIDRs: [
    // Private address ranges, which include the addresses of pods, services and nodes.
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
    // There is no default CPU limit. A default limit would throttle the control planes, which set no CPU limit of their
    // own.
    default: { memory: '2Gi' },
    defaultRequest: { cpu: '50m', memory: '64Mi' },
  },
} as const satisfies HostIsolation;

/**
 * Returns the default isolation, but with the fields that `isolation` sets. In `limitRange`, each field is replaced
 * separately.
 */
export function withNewInstallationIsolation(isolation: HostIsolation): HostIsolation {
  const limitRange = { ...newInstallationIsolation.limitRange, ...isolation.limitRange };
  return { ...newInstallationIsolation, ...isolation, limitRange };
}
