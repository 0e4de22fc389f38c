import { labelFaults } from '@flotilla/kubernetes-formats';
import { boundedErrors } from '../../../../api/bounded-errors.ts';
import { duplicate, type FieldError, required } from '../../../../api/field-error.ts';
import { childPath } from '../../../../api/schema/field-path.ts';
import { itemsAt, textOf } from '../checks.ts';
import { faultErrors } from '../field-rules.ts';
import type { PodContext } from './pod-context.ts';

/** Validates the volumes of a pod. Containers can mount only those without errors, which it adds to `pod.volumes`. */
export function* podVolumeErrors(pod: PodContext): Generator<FieldError> {
  for (const [volume, path] of itemsAt(pod.spec, 'volumes', pod.path)) {
    const name = textOf(volume.name);
    const namePath = childPath(path, 'name');
    // All errors of the volume are collected, and each may show a long text of which another part is wrong.
    const errors = [
      ...boundedErrors(pod.place.structErrors?.('core.Volume', volume, path) ?? []),
      ...(name === '' ? [required(namePath)] : faultErrors(namePath, name, labelFaults(name))),
      ...(pod.volumes.has(name) ? [duplicate(namePath, name)] : []),
    ];
    if (errors.length === 0) pod.volumes.set(name, volume);
    yield* errors;
  }
}
