import { isJsonObject, type JsonObject, type JsonValue, listAt, numberAt, objectAt, textAt } from '@flotilla/json';
import { labelFaults } from '@flotilla/kubernetes-formats';
import type { KubeObject } from '../../../../api/meta.ts';
import type { KubernetesKind } from '../../kubernetes-kind.ts';
import { rulesOf, statusRulesOf } from '../../rules/kind-rules.ts';
import { ephemeralContainerUpdateErrors } from '../../rules/pod-objects/ephemeral-container-changes.ts';
import { resizeUpdateErrors } from '../../rules/pod-objects/resize-rules.ts';
import { podTemplateWarnings } from '../../rules/pods/warnings/pod-warnings.ts';
import { podColumns } from './pod-columns.ts';
import { placementEvents } from './pod-placement.ts';
import { preparePod } from './prepare-pod.ts';

const rules = rulesOf('core.Pod');

/** Makes `podIP` the first of `podIPs`. If a client sends both and they differ, `podIP` takes precedence. */
function completeAddresses(pod: JsonObject): void {
  const status = isJsonObject(pod.status) ? pod.status : undefined;
  if (status === undefined) return;
  const first = textAt(status, 'podIP');
  const firstOfAll = textAt(status, 'podIPs', 0, 'ip');
  if (first !== '' && first !== firstOfAll) status.podIPs = [{ ip: first }];
  else if (firstOfAll !== '') status.podIP = firstOfAll;
}

/**
 * Returns the grace period of a delete. Only a kubelet needs a grace period, so a pod without a node is removed at
 * once.
 */
function graceSecondsOf(object: KubeObject, requested: number | undefined): number {
  const pod = object as JsonValue;
  const phase = textAt(pod, 'status', 'phase');
  if (textAt(pod, 'spec', 'nodeName') === '' || phase === 'Failed' || phase === 'Succeeded') return 0;
  const seconds = requested ?? numberAt(pod, 'spec', 'terminationGracePeriodSeconds') ?? 0;
  return seconds < 0 ? 1 : seconds;
}

/** Keeps the values of a status that clients cannot remove. */
function prepareStatus(object: KubeObject, old: KubeObject): void {
  const status = objectAt(object as JsonValue, 'status') ?? {};
  const stored = objectAt(old as JsonValue, 'status') ?? {};
  if (textAt(status, 'qosClass') === '' && stored.qosClass !== undefined) status.qosClass = stored.qosClass;
  keepObserved(status, stored);
  delete status.nodeAllocatableResourceClaimStatuses;
  const generations = new Map<string, JsonObject[]>();
  for (const condition of listAt(stored, 'conditions').filter(isJsonObject)) {
    const type = textAt(condition, 'type');
    generations.set(type, [...(generations.get(type) ?? []), condition]);
  }
  for (const condition of listAt(status, 'conditions').filter(isJsonObject)) {
    const before = generations.get(textAt(condition, 'type'))?.shift();
    if (before !== undefined) keepObserved(condition, before);
  }
  (object as JsonObject).status = status;
}

function keepObserved(next: JsonObject, old: JsonObject): void {
  if ((numberAt(next, 'observedGeneration') ?? 0) !== 0 || old.observedGeneration === undefined) return;
  next.observedGeneration = old.observedGeneration;
}

function warningsOf(object: KubeObject, old: KubeObject | undefined): readonly string[] {
  if (old !== undefined) return [];
  const faults = labelFaults(object.metadata.name ?? '');
  const recommendation =
    "metadata.name: this is used in the Pod's hostname, which can result in surprising behavior; a DNS label is recommended";
  return [
    ...(faults.length === 0 ? [] : [`${recommendation}: [${faults.join(' ')}]`]),
    ...podTemplateWarnings(object as JsonValue, ''),
  ];
}

/** Pods of core/v1. No component runs them on the built-in cluster. */
export const pod: KubernetesKind = {
  ...rules,
  group: '',
  plural: 'pods',
  shortNames: ['po'],
  categories: ['all'],
  namespaced: true,
  description: 'A group of containers that run together on a node.',
  selectableFields: [
    'spec.nodeName',
    'spec.restartPolicy',
    'spec.schedulerName',
    'spec.serviceAccountName',
    'spec.hostNetwork',
    'status.phase',
    'status.podIP',
    'status.podIPs',
    'status.nominatedNodeName',
    'spec.host',
  ],
  generation: { first: 1, increasedBy: 'spec', keptBy: ['binding'] },
  unconditionalUpdate: true,
  returnsDeleted: true,
  complete: completeAddresses,
  prepare: preparePod,
  validateUpdate(object, old, subresource) {
    if (subresource === 'binding') return [];
    if (subresource === 'ephemeralcontainers') return ephemeralContainerUpdateErrors(object, old);
    if (subresource === 'resize') return resizeUpdateErrors(object, old);
    return rules.validateUpdate?.(object, old, subresource) ?? [];
  },
  graceSecondsOf,
  companions: placementEvents,
  warnings: warningsOf,
  status: { keeps: ['ownerReferences'], prepare: prepareStatus, ...statusRulesOf('core.Pod') },
  columns: podColumns,
};
