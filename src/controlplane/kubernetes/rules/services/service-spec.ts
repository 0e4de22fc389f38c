import { isJsonObject, type JsonObject, type JsonValue, listAt, numberAt, textAt, textsAt } from '@flotilla/json';
import type { KubeObject } from '../../../../api/meta.ts';

/** Functions that read the spec of a service. */

export const noAddress = 'None';
export const serviceTypes = ['ClusterIP', 'ExternalName', 'LoadBalancer', 'NodePort'];

/** Returns the spec of a service. The spec is not a copy, so changes to it change the service. */
export function specOf(object: KubeObject): JsonObject {
  return isJsonObject(object.spec) ? object.spec : {};
}

export function typeOf(spec: JsonObject): string {
  return textAt(spec, 'type');
}

export function addressesOf(spec: JsonObject): readonly string[] {
  return textsAt(spec, 'clusterIPs');
}

export function familiesOf(spec: JsonObject): readonly string[] {
  return textsAt(spec, 'ipFamilies');
}

/** Returns the ports of a service. They are not copies, so changes to them change the service. */
export function portsOf(spec: JsonObject): readonly JsonObject[] {
  return listAt(spec, 'ports').filter(isJsonObject);
}

export function nodePortOf(port: JsonValue): number {
  return numberAt(port, 'nodePort') ?? 0;
}

/** Returns the node ports of all ports of a service. Omits node ports that are not set. */
export function nodePortsOf(spec: JsonObject): readonly number[] {
  return portsOf(spec)
    .map(nodePortOf)
    .filter((port) => port !== 0);
}

export function healthCheckPortOf(spec: JsonObject): number {
  return numberAt(spec, 'healthCheckNodePort') ?? 0;
}

/** True if the only cluster IP of the service is `None`. Clients then find its pods only with DNS. */
export function isHeadless(spec: JsonObject): boolean {
  const addresses = addressesOf(spec);
  return addresses.length === 1 && addresses[0] === noAddress;
}

export function hasSelector(spec: JsonObject): boolean {
  return isJsonObject(spec.selector) && Object.keys(spec.selector).length > 0;
}

export function isExternalName(spec: JsonObject): boolean {
  return typeOf(spec) === 'ExternalName';
}

export function isLoadBalancer(spec: JsonObject): boolean {
  return typeOf(spec) === 'LoadBalancer';
}

/** True if the ports of a service of this type can have node ports. */
export function hasNodePorts(spec: JsonObject): boolean {
  return typeOf(spec) === 'NodePort' || isLoadBalancer(spec);
}

/**
 * Returns the node ports that a service has taken. A service of the type ExternalName takes none, although Kubernetes
 * accepts node ports in its spec.
 */
export function takenNodePortsOf(spec: JsonObject): readonly number[] {
  return hasNodePorts(spec) ? nodePortsOf(spec) : [];
}

export function isExternallyAccessible(spec: JsonObject): boolean {
  return hasNodePorts(spec) || (typeOf(spec) === 'ClusterIP' && textsAt(spec, 'externalIPs').length > 0);
}

/** True if the service has a node port at which load balancers check whether a node has pods of the service. */
export function needsHealthCheck(spec: JsonObject): boolean {
  return isLoadBalancer(spec) && textAt(spec, 'externalTrafficPolicy') === 'Local';
}

/** Returns the list in the form that error messages contain. */
export function printedList(list: readonly string[]): JsonValue {
  return list.length === 0 ? null : [...list];
}
