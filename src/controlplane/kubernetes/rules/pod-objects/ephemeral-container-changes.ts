import { equalJson, type JsonObject } from '@flotilla/json';
import { type FieldError, forbiddenField } from '../../../../api/field-error.ts';
import type { KubeObject } from '../../../../api/meta.ts';
import { itemsAt, objectAt, textOf } from '../checks.ts';
import { kubernetesRules } from '../kubernetes-rules.ts';
import { annotationsOf, mirrorPod } from '../pods/template-rules.ts';

/** Returns the errors of a write to the subresource `ephemeralcontainers`, which can only add ephemeral containers. */
export function* ephemeralContainerUpdateErrors(object: KubeObject, old: KubeObject): Generator<FieldError> {
  const [pod, stored] = [object as JsonObject, old as JsonObject];
  if (annotationsOf(stored)[mirrorPod] !== undefined) {
    yield forbiddenField('', 'static pods do not support ephemeral containers');
    return;
  }
  yield* kubernetesRules.structErrorsOf('core.Pod', pod, stored);
  const path = 'spec.ephemeralContainers';
  const containersOf = (of: JsonObject) => itemsAt(objectAt(of, 'spec'), 'ephemeralContainers', 'spec');
  const next = new Map(containersOf(pod).map(([container]) => [textOf(container.name), container]));
  for (const [container] of containersOf(stored)) {
    const name = textOf(container.name);
    const change = next.get(name);
    const what = `existing ephemeral containers ${JSON.stringify(name)}`;
    if (change === undefined) yield forbiddenField(path, `${what} may not be removed\n`);
    else if (!equalJson(change, container)) {
      const members = new Set([...Object.keys(change), ...Object.keys(container)]);
      const changed = [...members].filter((member) => !equalJson(change[member] ?? null, container[member] ?? null));
      yield forbiddenField(path, `${what} may not be changed\n${changed.toSorted().join(', ')}`);
    }
  }
}
