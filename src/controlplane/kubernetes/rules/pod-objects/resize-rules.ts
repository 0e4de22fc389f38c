import { equalJson, type JsonObject } from '@flotilla/json';
import { type FieldError, forbiddenField, invalid } from '../../../../api/field-error.ts';
import type { KubeObject } from '../../../../api/meta.ts';
import { indexPath } from '../../../../api/schema/field-path.ts';
import { qosClassOf } from '../../defaults/pod-qos.ts';
import { itemsAt, listOf, objectAt, textOf } from '../checks.ts';
import { kubernetesRules } from '../kubernetes-rules.ts';
import { isSet, structAt } from '../pods/pod-context.ts';
import { annotationsOf, mirrorPod } from '../pods/template-rules.ts';

const lists = ['containers', 'initContainers'] as const;

/** Returns the errors of a write to the subresource `resize`, which can only change amounts of CPU and memory. */
export function* resizeUpdateErrors(object: KubeObject, old: KubeObject): Generator<FieldError> {
  const [pod, stored] = [object as JsonObject, old as JsonObject];
  const [spec, before] = [objectAt(pod, 'spec'), objectAt(stored, 'spec')];
  if (annotationsOf(stored)[mirrorPod] !== undefined) {
    yield forbiddenField('', 'static pods cannot be resized');
    return;
  }
  if (textOf(objectAt(before, 'os').name) === 'windows') {
    yield forbiddenField('', 'windows pods cannot be resized');
    return;
  }
  yield* kubernetesRules.structErrorsOf('core.Pod', pod, stored);
  const oldClass = textOf(objectAt(stored, 'status').qosClass) || qosClassOf(before);
  if (oldClass !== qosClassOf(spec)) {
    const detail = 'Pod QOS Class may not change as a result of resizing';
    yield invalid('spec', objectAt(pod, 'status').qosClass, detail);
  }
  if (!isSupported(stored)) yield forbiddenField('spec', 'Pod running on node without support for resize');
  yield* podLevelErrors(spec, before);
  const order = [...orderErrors(spec, before)];
  yield* order;
  if (order.length === 0) yield* containerErrors(spec, before);
}

/**
 * True if the node supports a resize. False if a running container does not report its resources: a node that can
 * resize the container would report them.
 */
function isSupported(stored: JsonObject): boolean {
  const statuses = itemsAt(objectAt(stored, 'status'), 'containerStatuses', '').map(([status]) => status);
  const running = statuses.find((status) => structAt(objectAt(status, 'state'), 'running') !== undefined);
  return running === undefined || isSet(running.resources);
}

function* podLevelErrors(spec: JsonObject, before: JsonObject): Generator<FieldError> {
  const [next, old] = [structAt(spec, 'resources'), structAt(before, 'resources')];
  if (next === undefined && old === undefined) return;
  if (next === undefined) {
    yield forbiddenField('spec.resources', 'pod-level resources cannot be removed');
    return;
  }
  yield* removedErrors(next, old ?? {}, ['spec.resources', 'pod-level resource']);
  if (!equalJson(withoutAmounts(next), withoutAmounts(old ?? {}))) {
    yield forbiddenField('spec', 'only cpu and memory resources are mutable at pod-level');
  }
}

function* orderErrors(spec: JsonObject, before: JsonObject): Generator<FieldError> {
  for (const list of lists) {
    const [next, old] = [itemsAt(spec, list, 'spec'), itemsAt(before, list, '')];
    if (next.length !== old.length) {
      yield forbiddenField(`spec.${list}`, `${list} may not be added or removed on resize`);
      continue;
    }
    for (const [index, [container, path]] of next.entries()) {
      if (container.name === old[index]?.[0].name) continue;
      yield forbiddenField(`${path}.name`, `${list} may not be renamed or reordered on resize`);
    }
  }
}

function* containerErrors(spec: JsonObject, before: JsonObject): Generator<FieldError> {
  for (const list of lists.toReversed()) {
    const old = itemsAt(before, list, '');
    for (const [index, [container, path]] of itemsAt(spec, list, 'spec').entries()) {
      const [next, stored] = [objectAt(container, 'resources'), objectAt(old[index]?.[0], 'resources')];
      yield* removedErrors(next, stored, [`${path}.resources`, 'resource']);
    }
  }
  for (const list of lists) {
    const old = itemsAt(before, list, '');
    for (const [index, [container]] of itemsAt(spec, list, 'spec').entries()) {
      yield* changedErrors(container, old[index]?.[0] ?? {}, [list, index]);
    }
  }
}

function* changedErrors(
  container: JsonObject,
  old: JsonObject,
  [list, index]: readonly ['containers' | 'initContainers', number],
): Generator<FieldError> {
  const path = indexPath(`spec.${list}`, index);
  const isInit = list === 'initContainers';
  const fixed = (of: JsonObject) => ({ ...of, resources: withoutAmounts(objectAt(of, 'resources')) });
  if (!equalJson(fixed(container), fixed(old))) {
    yield isInit
      ? forbiddenField(path, 'only cpu and memory resources for init or sidecar containers are mutable')
      : forbiddenField('spec', 'only cpu and memory resources are mutable');
  }
  const restarts = listOf(container.resizePolicy).some(
    (policy) => objectAt({ policy }, 'policy').restartPolicy === 'RestartContainer',
  );
  if (isInit && container.restartPolicy !== 'Always' && restarts && !equalJson(container, old)) {
    const detail = 'non-sidecar init containers with a resize policy of RestartContainer cannot be resized';
    yield forbiddenField(path, detail);
  }
}

function* removedErrors(
  next: JsonObject,
  old: JsonObject,
  [path, what]: readonly [path: string, what: string],
): Generator<FieldError> {
  for (const member of ['requests', 'limits']) {
    const kept = objectAt(next, member);
    if (Object.keys(objectAt(old, member)).every((name) => kept[name] !== undefined)) continue;
    yield forbiddenField(`${path}.${member}`, `${what} ${member} cannot be removed`);
  }
}

/** Returns resources without the amounts that a resize can change. */
function withoutAmounts(resources: JsonObject): JsonObject {
  const rest = (member: string) => {
    const { cpu: _, memory: __, ...others } = objectAt(resources, member);
    return others;
  };
  return { ...resources, requests: rest('requests'), limits: rest('limits') };
}
