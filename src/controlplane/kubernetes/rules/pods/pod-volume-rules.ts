import type { JsonObject } from '@flotilla/json';
import { labelFaults, subdomainFaults } from '@flotilla/kubernetes-formats';
import { boundedErrors } from '../../../../api/bounded-errors.ts';
import { duplicate, type FieldError, invalid, required } from '../../../../api/field-error.ts';
import { childPath } from '../../../../api/schema/field-path.ts';
import { itemsAt, objectAt, textOf } from '../checks.ts';
import { faultErrors } from '../field-rules.ts';
import { isSet, type PodContext, structAt } from './pod-context.ts';

/**
 * Validates the volumes of a pod. Containers can mount only volumes without errors. The function adds these volumes to
 * `pod.volumes`.
 */
export function* podVolumeErrors(pod: PodContext): Generator<FieldError> {
  const created = createdClaims(pod);
  for (const [volume, path] of itemsAt(pod.spec, 'volumes', pod.path)) {
    const name = textOf(volume.name);
    const namePath = childPath(path, 'name');
    // Limit the size: all errors of the volume are collected, and the same long text may occur in the errors of many
    // parts of the volume.
    const errors = [
      ...boundedErrors(pod.position.structErrors?.('core.Volume', volume, path) ?? []),
      ...boundedErrors(ofPodErrors(volume, path, pod)),
      ...(name === '' ? [required(namePath)] : faultErrors(namePath, name, labelFaults(name))),
      ...(pod.volumes.has(name) ? [duplicate(namePath, name)] : []),
    ];
    if (errors.length === 0) pod.volumes.set(name, volume);
    yield* errors;
    const claim = textOf(objectAt(volume, 'persistentVolumeClaim').claimName);
    if (created.has(claim)) {
      const detail = 'must not reference a PVC that gets created for an ephemeral volume';
      yield invalid(`${path}.persistentVolumeClaim.claimName`, claim, detail);
    }
  }
}

/**
 * Returns the names of the claims that are created for the ephemeral volumes of a pod. Empty if the pod has no name.
 */
function createdClaims({ spec, metadata }: PodContext): ReadonlySet<string> {
  const name = textOf(metadata.name);
  const volumes = name === '' ? [] : itemsAt(spec, 'volumes', '');
  return new Set(
    volumes.filter(([volume]) => isSet(volume.ephemeral)).map(([volume]) => `${name}-${textOf(volume.name)}`),
  );
}

/**
 * Validates the values of a volume that depend on the pod: the name of an ephemeral volume's claim, and the image of an
 * image volume.
 */
function* ofPodErrors(volume: JsonObject, path: string, { metadata, isPod }: PodContext): Generator<FieldError> {
  const [pod, name] = [textOf(metadata.name), textOf(volume.name)];
  if (isSet(volume.ephemeral) && pod !== '' && name !== '') {
    const claim = `${pod}-${name}`;
    for (const fault of subdomainFaults(claim)) {
      yield invalid(childPath(path, 'name'), name, `PVC name ${JSON.stringify(claim)}: ${fault}`);
    }
  }
  const image = structAt(volume, 'image');
  if (isPod && image !== undefined && textOf(image.reference) === '') yield required(`${path}.image.reference`);
}
