import {
  cloneJson,
  equalJson,
  isJsonObject,
  type JsonObject,
  type JsonValue,
  listAt,
  objectAt,
  textAt,
} from '@flotilla/json';
import { type KubeObject, timestamp } from '../../../../api/meta.ts';
import { keyPath } from '../../../../api/schema/field-path.ts';
import { qosClassOf } from '../../defaults/pod-qos.ts';
import { itemsOf, objectOf } from '../../defaults/set-defaults.ts';
import type { KindWrite } from '../../kubernetes-kind.ts';
import { allContainers } from '../../rules/pods/pod-context.ts';
import { annotatedAppArmorProfile } from '../../rules/pods/profile-rules.ts';
import { appArmorOfContainer } from '../../rules/pods/template-rules.ts';
import { keepPriority, tolerateFailingNodes } from './admission/scheduling-admission.ts';
import { explainPlacement, setScheduled } from './pod-placement.ts';

/** Completes a pod that is created or updated (`KubernetesKind.prepare`). */
export function preparePod(
  object: KubeObject,
  old: KubeObject | undefined,
  _sent: KubeObject | undefined,
  write: KindWrite,
): void {
  const pod = object as JsonObject;
  if (old === undefined) prepareNewPod(pod, object, write);
  else if (write.subresource === '') {
    tolerateFailingNodes(pod);
    keepPriority(pod, old as JsonObject);
    explainPlacement(pod, timestamp(Date.now()));
  } else if (write.subresource === 'binding') bind(pod);
  else if (write.subresource === 'ephemeralcontainers') keepAllBut(object, old, addEphemeralContainers);
  else if (write.subresource === 'resize') keepAllBut(object, old, addResources);
}

function prepareNewPod(pod: JsonObject, { metadata }: KubeObject, { warn }: KindWrite): void {
  const spec = isJsonObject(pod.spec) ? pod.spec : {};
  pod.status = { phase: 'Pending', qosClass: qosClassOf(spec) };
  explainPlacement(pod, metadata.creationTimestamp ?? timestamp(Date.now()));
  applyLabelKeys(spec, metadata.labels ?? {});
  if (textAt(spec, 'os', 'name') !== 'windows') copyAppArmorProfiles(spec, metadata.annotations ?? {}, warn);
}

const preferred = 'preferredDuringSchedulingIgnoredDuringExecution';
const required = 'requiredDuringSchedulingIgnoredDuringExecution';

type Texts = Readonly<Record<string, string>>;

/** Adds the values of the pod's labels to the selectors that name these labels as keys. */
function applyLabelKeys(spec: JsonObject, labels: Texts): void {
  for (const name of ['podAffinity', 'podAntiAffinity']) {
    const affinity = objectOf(objectOf(spec, 'affinity'), name);
    const weighted = itemsOf(affinity, preferred).map((term) => objectOf(term, 'podAffinityTerm'));
    for (const term of [...weighted, ...itemsOf(affinity, required)]) if (term !== undefined) addLabels(term, labels);
  }
  for (const constraint of itemsOf(spec, 'topologySpreadConstraints')) addLabels(constraint, labels);
}

function addLabels(term: JsonObject, labels: Texts): void {
  const selector = objectOf(term, 'labelSelector');
  if (selector === undefined) return;
  const added = (['In', 'NotIn'] as const).flatMap((operator) =>
    listAt(term, operator === 'In' ? 'matchLabelKeys' : 'mismatchLabelKeys').flatMap((key) => {
      const value = labels[String(key)];
      return value === undefined ? [] : [{ key: String(key), operator, values: [value] }];
    }),
  );
  if (added.length > 0) selector.matchExpressions = [...listAt(selector, 'matchExpressions'), ...added];
}

/** Copies AppArmor profiles from annotations, which older clients use, to the fields of containers. */
function copyAppArmorProfiles(spec: JsonObject, annotations: Texts, warn: (text: string) => void): void {
  const ofPod = objectOf(objectOf(spec, 'securityContext'), 'appArmorProfile');
  for (const [container] of allContainers(spec, '')) {
    const key = `${appArmorOfContainer}${textAt(container, 'name')}`;
    const annotation = annotations[key];
    const security = objectOf(container, 'securityContext');
    if (annotation === undefined || objectOf(security, 'appArmorProfile') !== undefined) continue;
    const profile = annotatedAppArmorProfile(annotation);
    if (profile !== undefined && ofPod !== undefined && equalJson(profile, ofPod)) continue;
    if (profile !== undefined) container.securityContext = { ...security, appArmorProfile: profile };
    const path = keyPath('metadata.annotations', key);
    warn(`${path}: deprecated since v1.30; use the "appArmorProfile" field instead`);
  }
}

/** Completes a pod that was assigned to a node: sets its condition, and removes the nominated node. */
function bind(pod: JsonObject): void {
  const status = isJsonObject(pod.status) ? pod.status : {};
  delete status.nominatedNodeName;
  setScheduled(status, timestamp(Date.now()));
  pod.status = status;
}

/** Reverts all changes of a pod, except the changes that `change` copies from `spec` to `kept`. */
function keepAllBut(object: KubeObject, old: KubeObject, change: (kept: JsonObject, spec: JsonObject) => void): void {
  const pod = object as JsonObject;
  const spec = objectAt(pod, 'spec') ?? {};
  const kept = cloneJson(objectAt(old as JsonValue, 'spec') ?? {});
  change(kept, spec);
  const { managedFields } = object.metadata;
  const { managedFields: _, ...metadata } = cloneJson(old.metadata);
  object.metadata = managedFields === undefined ? metadata : { ...metadata, managedFields };
  pod.spec = kept;
}

function addEphemeralContainers(kept: JsonObject, { ephemeralContainers }: JsonObject): void {
  if (ephemeralContainers === undefined) delete kept.ephemeralContainers;
  else kept.ephemeralContainers = ephemeralContainers;
}

/**
 * Copies the resources of the pod and of its containers from `spec` to `kept`. If containers were added, removed or
 * renamed, copies the whole spec, which validation then refuses.
 */
function addResources(kept: JsonObject, spec: JsonObject): void {
  const lists = ['containers', 'initContainers'];
  if (lists.some((list) => itemsOf(kept, list).length !== itemsOf(spec, list).length)) {
    Object.assign(kept, spec);
    return;
  }
  copyMember(kept, spec, 'resources');
  for (const list of lists) {
    const next = itemsOf(spec, list);
    const containers = itemsOf(kept, list);
    if (containers.some((container, index) => container.name !== next[index]?.name)) kept[list] = next;
    else {
      for (const [index, container] of containers.entries()) {
        for (const member of ['resources', 'resizePolicy']) copyMember(container, next[index] ?? {}, member);
      }
    }
  }
}

function copyMember(target: JsonObject, from: JsonObject, member: string): void {
  const value = from[member];
  if (value === undefined) delete target[member];
  else target[member] = value;
}
