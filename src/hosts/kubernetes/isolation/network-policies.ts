import type { JsonObject } from '@flotilla/json';
import { tenantAccessLabel } from '../../../api/naming.ts';
import { apiPort, controlPlaneApp, managedByLabel, workloadApps } from '../release/chart-labels.ts';

/** Pods accept connections from their own namespace, and from namespaces that the operator of the host has labelled. */
export const ingressOfTenants: JsonObject = {
  podSelector: {},
  policyTypes: ['Ingress'],
  ingress: [{ from: [{ podSelector: {} }, { namespaceSelector: { matchLabels: { [tenantAccessLabel]: 'true' } } }] }],
};

/** Allows connections to the API of the virtual cluster, from the server and from clients inside the host cluster. */
export const ingressOfControlPlane: JsonObject = {
  podSelector: { matchLabels: { app: controlPlaneApp } },
  policyTypes: ['Ingress'],
  ingress: [{ ports: [{ protocol: 'TCP', port: apiPort }] }],
};

/**
 * Allows pods to connect to their own namespace, which contains the API and the DNS of the virtual cluster, to all DNS
 * servers, and to addresses outside of the denied ranges. DNS servers need a separate rule, because their addresses are
 * private, or link-local if each node has a DNS cache.
 */
export function egressOfTenants(deniedCIDRs: readonly string[]): JsonObject {
  const families = [
    { cidr: '0.0.0.0/0', except: deniedCIDRs.filter((range) => !range.includes(':')) },
    { cidr: '::/0', except: deniedCIDRs.filter((range) => range.includes(':')) },
  ];
  // `except` cannot contain the whole range of a family. So if all addresses of a family are denied, the policy has no
  // rule for the family.
  const blocks = families.filter(({ except }) => !except.some((range) => range.endsWith('/0')));
  const dns = ['UDP', 'TCP'].map((protocol) => ({ protocol, port: 53 }));
  return {
    podSelector: {},
    policyTypes: ['Egress'],
    egress: [
      { to: [{ podSelector: {} }] },
      { ports: dns },
      ...(blocks.length === 0 ? [] : [{ to: blocks.map((ipBlock) => ({ ipBlock })) }]),
    ],
  };
}

/**
 * The control plane must reach the API server of the host, whose address and port are not known. The control plane runs
 * no code of the tenant. The pods that it syncs have a label that tenants cannot remove, so this policy does not apply
 * to these pods.
 */
export const egressOfControlPlane: JsonObject = {
  podSelector: {
    matchExpressions: [
      { key: 'app', operator: 'In', values: [...workloadApps] },
      { key: managedByLabel, operator: 'DoesNotExist' },
    ],
  },
  policyTypes: ['Egress'],
  egress: [{}],
};
