import { type FieldError, forbiddenField, invalid } from '../../../../api/field-error.ts';
import { isUnset, itemsAt, listOf, objectAt, textOf } from '../checks.ts';
import type { Check, KindRules, StructRules } from '../object-rules.ts';
import { isSet } from '../pods/pod-context.ts';
import { podAnnotationErrors, templateProfiles } from '../pods/template-rules.ts';
import { podStatusChecks } from './pod-status-rules.ts';
import { podChanges } from './pod-update-rules.ts';

const annotations: Check = (pod, position) => podAnnotationErrors(pod, { ...position, path: 'metadata.annotations' });

/** Checks that apply only to pods. Pod templates may violate them. */
const podOnly: Check = function* (pod) {
  const spec = objectAt(pod, 'spec');
  if (isUnset(spec.serviceAccountName ?? undefined)) {
    for (const [volume, path] of itemsAt(spec, 'volumes', 'spec')) {
      for (const [source, at] of itemsAt(objectAt(volume, 'projected'), 'sources', `${path}.projected`)) {
        if (!isSet(source.serviceAccountToken)) continue;
        const detail = 'must not be specified when serviceAccountName is not set';
        yield forbiddenField(`${at}.serviceAccountToken`, detail);
      }
    }
  }
  for (const list of ['containers', 'initContainers']) {
    for (const [container, path] of itemsAt(spec, list, 'spec')) yield* imageErrors(textOf(container.image), path);
  }
};

function* imageErrors(image: string, path: string): Generator<FieldError> {
  if (image.trim() === image) return;
  yield invalid(`${path}.image`, image, 'must not have leading or trailing whitespace');
}

/** Checks of a pod that is created. */
const newPod: Check = function* (pod, position) {
  if (position.old !== undefined) return;
  const spec = objectAt(pod, 'spec');
  if (listOf(spec.ephemeralContainers).length > 0) {
    yield forbiddenField('spec.ephemeralContainers', 'cannot be set on create');
  }
  if (textOf(spec.nodeName) !== '' && listOf(spec.schedulingGates).length > 0) {
    yield forbiddenField('spec.nodeName', 'cannot be set until all schedulingGates have been cleared');
  }
  yield* templateProfiles(pod, position);
};

/** The rules of pods, in addition to the rules of pod specs. */
export const podObjectRules: Readonly<Record<string, StructRules>> = {
  'core.Pod': { whole: [annotations], after: [podOnly, newPod] },
};

export const podObjectKinds: Readonly<Record<string, KindRules>> = {
  'core.Pod': { update: ['structs', 'changes'], changes: [podChanges], status: podStatusChecks },
};
