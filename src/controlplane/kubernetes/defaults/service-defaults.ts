import type { JsonObject } from '@flotilla/json';
import type { StructDefault } from '../../../api/structs/struct-defaults.ts';
import { isEmptyList, itemsOf, objectMember, objectOf, setIfAbsent, setIfZero } from './set-defaults.ts';

/** The default time in seconds for which requests from one client IP go to the same endpoint. */
const clientIpSeconds = 10_800;

function defaultSessionAffinity(spec: JsonObject): void {
  setIfZero(spec, { sessionAffinity: 'None' });
  if (spec.sessionAffinity === 'None') delete spec.sessionAffinityConfig;
  const clientIp = objectOf(objectOf(spec, 'sessionAffinityConfig'), 'clientIP');
  if (spec.sessionAffinity === 'ClientIP' && (clientIp?.timeoutSeconds ?? undefined) === undefined) {
    spec.sessionAffinityConfig = { clientIP: { timeoutSeconds: clientIpSeconds } };
  }
}

function defaultPort(port: JsonObject): void {
  setIfZero(port, { protocol: 'TCP' });
  if (port.port !== undefined) setIfZero(port, { targetPort: port.port });
}

function defaultTrafficPolicies(spec: JsonObject): void {
  const isOpen = spec.type === 'LoadBalancer' || spec.type === 'NodePort';
  const isClusterIp = spec.type === 'ClusterIP';
  if (isOpen || (isClusterIp && !isEmptyList(spec.externalIPs))) setIfZero(spec, { externalTrafficPolicy: 'Cluster' });
  if (isOpen || isClusterIp) setIfAbsent(spec, { internalTrafficPolicy: 'Cluster' });
}

const service: StructDefault = (object) => {
  const spec = objectMember(object, 'spec');
  defaultSessionAffinity(spec);
  setIfZero(spec, { type: 'ClusterIP' });
  for (const port of itemsOf(spec, 'ports')) defaultPort(port);
  defaultTrafficPolicies(spec);
  if (spec.type !== 'LoadBalancer') return;
  setIfAbsent(spec, { allocateLoadBalancerNodePorts: true });
  for (const ingress of itemsOf(objectOf(objectOf(object, 'status'), 'loadBalancer'), 'ingress')) {
    if ((ingress.ip ?? '') !== '') setIfAbsent(ingress, { ipMode: 'VIP' });
  }
};

/** The defaults of services. Cluster IPs and node ports are allocated elsewhere. */
export const serviceDefaults: Readonly<Record<string, StructDefault>> = { 'core.Service': service };
