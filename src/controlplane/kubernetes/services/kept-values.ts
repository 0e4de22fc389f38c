import { isJsonObject, type JsonObject, textAt, valueAt } from '@flotilla/json';
import type { KubeObject } from '../../../api/meta.ts';
import {
  addressesOf,
  familiesOf,
  hasNodePorts,
  healthCheckPortOf,
  isExternallyAccessible,
  isExternalName,
  isLoadBalancer,
  needsHealthCheck,
  nodePortOf,
  nodePortsOf,
  portsOf,
  specOf,
} from '../rules/services/service-spec.ts';

/** True if the server allocates node ports for the ports of a service that have none. */
export function allocatesNodePorts(spec: JsonObject): boolean {
  return hasNodePorts(spec) && (!isLoadBalancer(spec) || valueAt(spec, 'allocateLoadBalancerNodePorts') !== false);
}

/**
 * Copies allocated values from the stored service to an update that does not contain them. So a client can send the
 * same manifest again.
 */
export function keepAllocatedValues(spec: JsonObject, old: JsonObject): void {
  if (!isExternalName(spec) && !isExternalName(old)) {
    if (textAt(spec, 'clusterIP') === '') setText(spec, 'clusterIP', textAt(old, 'clusterIP'));
    if (addressesOf(spec).length === 0) setList(spec, 'clusterIPs', addressesOf(old));
  }
  if (allocatesNodePorts(spec) && allocatesNodePorts(old)) keepNodePorts(spec, old);
  if (needsHealthCheck(spec) && needsHealthCheck(old) && healthCheckPortOf(spec) === 0) {
    spec.healthCheckNodePort = healthCheckPortOf(old);
  }
}

function setText(spec: JsonObject, member: string, text: string): void {
  if (text !== '') spec[member] = text;
}

function setList(spec: JsonObject, member: string, list: readonly string[]): void {
  if (list.length > 0) spec[member] = [...list];
}

function keepNodePorts(spec: JsonObject, old: JsonObject): void {
  const given = new Set(nodePortsOf(spec));
  const used = new Set(nodePortsOf(old).filter((port) => given.has(port)));
  const byName = new Map(portsOf(old).map((port) => [textAt(port, 'name'), nodePortOf(port)]));
  for (const port of portsOf(spec)) {
    const kept = byName.get(textAt(port, 'name')) ?? 0;
    if (nodePortOf(port) === 0 && kept !== 0 && !used.has(kept)) port.nodePort = kept;
  }
}

/** Makes `clusterIPs` consistent with `clusterIP` if the client sets only `clusterIP`. */
export function alignClusterIps(spec: JsonObject, old: JsonObject | undefined): void {
  const [address, addresses] = [textAt(spec, 'clusterIP'), addressesOf(spec)];
  if (old === undefined) {
    if (address !== '' && addresses.length === 0) spec.clusterIPs = [address];
    return;
  }
  const before = textAt(old, 'clusterIP');
  if (addresses.length === 0 && address === before) setList(spec, 'clusterIPs', addressesOf(old));
  if (address === before || !isSameList(addressesOf(spec), addressesOf(old))) return;
  if (address === '') delete spec.clusterIPs;
  else spec.clusterIPs = [address];
}

function isSameList(one: readonly string[], other: readonly string[]): boolean {
  return one.length === other.length && one.every((text, index) => text === other[index]);
}

/**
 * Removes fields that a service of the new type cannot have, if the update does not change these fields. The server has
 * set most of the fields, so clients need not remove them.
 */
export function dropFieldsOfOldType(object: KubeObject, stored: KubeObject): void {
  const [spec, old] = [specOf(object), specOf(stored)];
  if (isExternalName(spec) && !isExternalName(old)) dropAddresses(spec, old);
  if (hasNodePorts(old) && !hasNodePorts(spec)) dropNodePorts(spec, old);
  const isSame = (member: string) => valueAt(spec, member) === valueAt(old, member);
  if (needsHealthCheck(old) && !needsHealthCheck(spec) && healthCheckPortOf(spec) === healthCheckPortOf(old)) {
    delete spec.healthCheckNodePort;
  }
  if (isLoadBalancer(old) && !isLoadBalancer(spec)) {
    for (const member of ['allocateLoadBalancerNodePorts', 'loadBalancerClass']) {
      if (isSame(member)) delete spec[member];
    }
  }
  if (isExternallyAccessible(old) && !isExternallyAccessible(spec) && isSame('externalTrafficPolicy')) {
    delete spec.externalTrafficPolicy;
  }
  if (!isLoadBalancer(spec) && isJsonObject(object.status)) delete object.status.loadBalancer;
}

function dropAddresses(spec: JsonObject, old: JsonObject): void {
  if (textAt(spec, 'clusterIP') === textAt(old, 'clusterIP') && isSameList(addressesOf(spec), addressesOf(old))) {
    delete spec.clusterIP;
    delete spec.clusterIPs;
  }
  if (isSameList(familiesOf(spec), familiesOf(old))) delete spec.ipFamilies;
  if (textAt(spec, 'ipFamilyPolicy') === textAt(old, 'ipFamilyPolicy')) delete spec.ipFamilyPolicy;
}

function dropNodePorts(spec: JsonObject, old: JsonObject): void {
  const before = new Set(nodePortsOf(old));
  if (nodePortsOf(spec).every((port) => before.has(port))) for (const port of portsOf(spec)) delete port.nodePort;
}
