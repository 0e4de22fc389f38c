import { isJsonObject, type JsonObject, type JsonValue } from '@flotilla/json';
import { labelFaults, qualifiedNameFaults, subdomainFaults } from '@flotilla/kubernetes-formats';
import { duplicate, type FieldError, forbiddenField, invalid, required } from '../../../../api/field-error.ts';
import { indexPath } from '../../../../api/schema/field-path.ts';
import { fieldIsImmutable, itemsAt, listOf, numberOf, objectAt, textOf } from '../checks.ts';
import { faultErrors } from '../field-rules.ts';
import { ipErrors, isIpv4 } from '../ip-rules.ts';
import type { Check } from '../object-rules.ts';
import { isSet, structAt } from '../pods/pod-context.ts';
import { containerStatusErrors, transitionErrors } from './container-status-rules.ts';
import { annotationChanges } from './pod-update-rules.ts';

const systemConditions = new Set(['PodScheduled', 'Ready', 'Initialized']);

const conditions: Check = function* (pod) {
  for (const [condition, path] of itemsAt(objectAt(pod, 'status'), 'conditions', 'status')) {
    const observed = numberOf(condition.observedGeneration);
    if (observed < 0) yield invalid(`${path}.observedGeneration`, observed, 'must be a non-negative integer');
    const type = textOf(condition.type);
    if (!systemConditions.has(type)) yield* faultErrors(`${path}.Type`, type, qualifiedNameFaults(type));
  }
};

const nominatedNode: Check = function* (pod, { old }) {
  const path = 'status.nominatedNodeName';
  const name = textOf(objectAt(pod, 'status').nominatedNodeName);
  if (name === '' || name === textOf(objectAt(old, 'status').nominatedNodeName)) return;
  yield* faultErrors(path, name, subdomainFaults(name));
  if (textOf(objectAt(old, 'spec').nodeName) !== '') {
    yield forbiddenField(path, 'may not be set on pods that are already bound to a node');
  }
};

const observedAndQos: Check = function* (pod, { old }) {
  const status = objectAt(pod, 'status');
  const observed = numberOf(status.observedGeneration);
  if (observed < 0) yield invalid('status.observedGeneration', observed, 'must be a non-negative integer');
  const qos = textOf(status.qosClass);
  if (qos !== textOf(objectAt(old, 'status').qosClass)) yield invalid('status.qosClass', qos, fieldIsImmutable);
};

const claimStatuses: Check = function* (pod) {
  const claims = new Set(itemsAt(objectAt(pod, 'spec'), 'resourceClaims', '').map(([{ name }]) => textOf(name)));
  const known = new Set<string>();
  for (const [status, path] of itemsAt(objectAt(pod, 'status'), 'resourceClaimStatuses', 'status')) {
    const name = textOf(status.name);
    if (!claims.has(name)) {
      yield invalid(`${path}.name`, name, 'must match the name of an entry in `spec.resourceClaims`');
    }
    if (known.has(name)) yield duplicate(`${path}.name`, name);
    known.add(name);
    if (!isSet(status.resourceClaimName)) continue;
    const claim = textOf(status.resourceClaimName);
    yield* faultErrors(`${path}.resourceClaimName`, claim, subdomainFaults(claim));
  }
};

const extendedClaims: Check = function* (pod) {
  const path = 'status.extendedResourceClaimStatus';
  const status = structAt(objectAt(pod, 'status'), 'extendedResourceClaimStatus');
  if (status === undefined) return;
  const spec = objectAt(pod, 'spec');
  const containers = new Map(
    ['initContainers', 'containers'].flatMap((list) =>
      itemsAt(spec, list, '').map(([container]) => [textOf(container.name), container] as const),
    ),
  );
  const mappings = itemsAt(status, 'requestMappings', path);
  if (mappings.length === 0) yield required(`${path}.requestMappings`, 'at least one request mapping is required');
  const known = new Set<string>();
  for (const [mapping, at] of mappings) yield* mappingErrors(mapping, at, containers, known);
  const claim = textOf(status.resourceClaimName);
  if (claim === '') yield required(`${path}.resourceClaimName`);
  else yield* faultErrors(`${path}.resourceClaimName`, claim, subdomainFaults(claim));
};

function* mappingErrors(
  mapping: JsonObject,
  path: string,
  containers: ReadonlyMap<string, JsonObject>,
  known: Set<string>,
): Generator<FieldError> {
  const [container, resource, request] = ['containerName', 'resourceName', 'requestName'].map((name) =>
    textOf(mapping[name] ?? undefined),
  ) as [string, string, string];
  const found = containers.get(container);
  if (found === undefined) {
    const detail = 'must match the name of an entry in spec.initContainers.name or spec.containers.name';
    yield invalid(`${path}.containerName`, container, detail);
  } else if (objectAt(objectAt(found, 'resources'), 'requests')[resource] === undefined) {
    const detail =
      'must match the extended resource name of an entry in spec.initContainers.resources.requests or spec.containers.resources.requests';
    yield invalid(`${path}.resourceName`, resource, detail);
  }
  yield* faultErrors('status.extendedResourceClaimStatus.requestName', request, labelFaults(request));
  const key = JSON.stringify([container, resource, request]);
  if (known.has(key)) {
    yield duplicate(`${path}.containerName`, container);
    yield duplicate(`${path}.resourceName`, resource);
    yield duplicate(`${path}.requestName`, request);
  }
  known.add(key);
}

/**
 * Returns the errors of a list of IP addresses. The syntax of addresses that the stored status contains is not checked
 * again.
 */
function* addressErrors(status: JsonObject, old: JsonObject, member: 'podIPs' | 'hostIPs'): Generator<FieldError> {
  const path = `status.${member}`;
  const ipsOf = (from: JsonObject) => listOf(from[member]).map((item) => (isJsonObject(item) ? textOf(item.ip) : ''));
  const ips = ipsOf(status);
  const stored = new Set(ipsOf(old));
  for (const [index, ip] of ips.entries()) if (!stored.has(ip)) yield* ipErrors(indexPath(path, index), ip);
  if (ips.length < 2) return;
  const families = new Set(ips.map(isIpv4));
  if (families.size === 2 && ips.length === 2) return;
  const printed: JsonValue = ips.map((ip) => ({ IP: ip }));
  yield invalid(path, printed, 'may specify no more than one IP for each IP family');
}

const addresses: Check = function* (pod, { old }) {
  const [status, before] = [objectAt(pod, 'status'), objectAt(old, 'status')];
  yield* addressErrors(status, before, 'podIPs');
  const first = listOf(status.hostIPs)[0];
  const firstIp = isJsonObject(first) ? textOf(first.ip) : '';
  if (first !== undefined && firstIp !== textOf(status.hostIP)) {
    yield invalid('status.hostIPs[0].ip', firstIp, 'must be equal to `hostIP`');
  }
  yield* addressErrors(status, before, 'hostIPs');
};

/** The checks of a status write, in the order of Kubernetes. */
export const podStatusChecks: readonly Check[] = [
  annotationChanges,
  conditions,
  nominatedNode,
  observedAndQos,
  transitionErrors,
  claimStatuses,
  extendedClaims,
  addresses,
  containerStatusErrors,
];
