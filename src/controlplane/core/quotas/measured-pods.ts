import { type JsonValue, listAt, numberAt, objectAt, textAt } from '@flotilla/json';
import { type Quantity, quantityOfCount } from '@flotilla/kubernetes-formats';
import type { KubeObject } from '../../../api/meta.ts';
import { qosClassOf } from '../../kubernetes/defaults/pod-qos.ts';
import { type Amounts, amountsOf } from '../../kubernetes/defaults/pod-resources.ts';
import { itemsOf } from '../../kubernetes/defaults/set-defaults.ts';
import type { MeasuredKind } from './measured-kind.ts';
import { podAmounts } from './pod-amounts.ts';

const counted = 'count/pods';
const [requestPrefix, hugePages] = ['requests.', 'hugepages-'];
const deviceClass = 'deviceclass.resource.kubernetes.io/';

/**
 * The resources whose requests and limits quotas can limit under separate names. A quota with only the name of the
 * resource limits the requests.
 */
const computeResources = ['cpu', 'memory', 'ephemeral-storage'];
/** For each quota name, the amount that a quota with this name requires every container to set. */
const requiredAmounts = ['cpu', 'memory'].flatMap((resource) => [
  { name: resource, member: 'requests', resource },
  { name: `requests.${resource}`, member: 'requests', resource },
  { name: `limits.${resource}`, member: 'limits', resource },
]);
const names: ReadonlySet<string> = new Set([
  'pods',
  counted,
  ...computeResources.flatMap((name) => [name, `requests.${name}`, `limits.${name}`]),
]);

function isExtended(name: string): boolean {
  return (name.includes('/') && !name.includes('kubernetes.io/')) || name.startsWith(deviceClass);
}

function measures(name: string): boolean {
  if (names.has(name) || name.startsWith(hugePages)) return true;
  if (!name.startsWith(requestPrefix)) return false;
  const requested = name.slice(requestPrefix.length);
  return requested.startsWith(hugePages) || isExtended(requested);
}

/** Returns the amounts by quota name. */
function quotaAmounts(requests: Amounts, limits: Amounts): Map<string, Quantity> {
  const amounts = new Map<string, Quantity>();
  for (const [name, amount] of requests) {
    if (computeResources.includes(name) || name.startsWith(hugePages)) amounts.set(name, amount);
    else if (!isExtended(name)) continue;
    amounts.set(requestPrefix + name, amount);
  }
  for (const name of computeResources) {
    const limit = limits.get(name);
    if (limit !== undefined) amounts.set(`limits.${name}`, limit);
  }
  return amounts;
}

/** True if the pod has ended. Such a pod uses no resources, but it is still stored. */
function isTerminal(pod: JsonValue): boolean {
  const phase = textAt(pod, 'status', 'phase');
  return phase === 'Failed' || phase === 'Succeeded';
}

/** True if the pod ends at a deadline. */
function hasDeadline(pod: JsonValue): boolean {
  return (numberAt(pod, 'spec', 'activeDeadlineSeconds') ?? -1) >= 0;
}

function isBestEffort(pod: JsonValue): boolean {
  const known = textAt(pod, 'status', 'qosClass');
  return (known === '' ? qosClassOf(objectAt(pod, 'spec') ?? {}) : known) === 'BestEffort';
}

function selectsOtherNamespaces(pod: JsonValue): boolean {
  return ['podAffinity', 'podAntiAffinity'].some((member) => {
    const terms = (when: string) =>
      listAt(pod, 'spec', 'affinity', member, `${when}DuringSchedulingIgnoredDuringExecution`);
    const preferred = terms('preferred').map((weighted) => objectAt(weighted, 'podAffinityTerm') ?? {});
    return [...terms('required'), ...preferred].some(
      (term) => listAt(term, 'namespaces').length > 0 || objectAt(term, 'namespaceSelector') !== undefined,
    );
  });
}

function scopesOf(object: KubeObject): Map<string, readonly string[]> {
  const pod = object as JsonValue;
  const priorityClass = textAt(pod, 'spec', 'priorityClassName');
  const scopes = new Map<string, readonly string[]>([
    [hasDeadline(pod) ? 'Terminating' : 'NotTerminating', []],
    [isBestEffort(pod) ? 'BestEffort' : 'NotBestEffort', []],
    ['PriorityClass', priorityClass === '' ? [] : [priorityClass]],
  ]);
  if (selectsOtherNamespaces(pod)) scopes.set('CrossNamespacePodAffinity', []);
  return scopes;
}

/** Returns, by quota name, the containers that do not set an amount that quotas of cpu and memory require. */
function missingIn(object: KubeObject): ReadonlyMap<string, readonly string[]> {
  const spec = objectAt(object as JsonValue, 'spec') ?? {};
  const missing = new Map<string, string[]>();
  // If the pod itself has amounts, its containers need no amounts.
  if (amountsOf(spec, 'requests').size + amountsOf(spec, 'limits').size > 0) return missing;
  for (const container of [...itemsOf(spec, 'containers'), ...itemsOf(spec, 'initContainers')]) {
    for (const { name, member, resource } of requiredAmounts) {
      if (objectAt(container, 'resources', member)?.[resource] !== undefined) continue;
      const containers = missing.get(name) ?? [];
      containers.push(textAt(container, 'name'));
      missing.set(name, containers);
    }
  }
  return missing;
}

/** Pods. Their usage is computed as in `pkg/quota/v1/evaluator/core` of Kubernetes. */
export const measuredPods: MeasuredKind = {
  resource: 'pods',
  measures,
  amountsOf(object) {
    const pod = object as JsonValue;
    const amounts = new Map<string, Quantity>([[counted, quantityOfCount(1)]]);
    if (isTerminal(pod)) return amounts;
    amounts.set('pods', quantityOfCount(1));
    for (const [name, amount] of quotaAmounts(podAmounts(pod, 'requests'), podAmounts(pod, 'limits'))) {
      if (amount.billionths !== 0n) amounts.set(name, amount);
    }
    return amounts;
  },
  scopesOf,
  missingIn,
  limitsUpdate({ subresource, draft: { object, old } }) {
    if (subresource === 'resize') return true;
    return subresource === '' && hasDeadline(object as JsonValue) !== hasDeadline((old?.object ?? {}) as JsonValue);
  },
};
