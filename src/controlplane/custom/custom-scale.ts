import { type JsonValue, valueAt } from '@flotilla/json';
import type { ScaleSubresource } from '../../api/apiextensions/definition.ts';
import type { KubeObject } from '../../api/meta.ts';
import { badRequest } from '../../api/status.ts';
import type { ScaledKind } from '../scale/mount-scale.ts';
import { pathSegments, replicasAt, type ScaleValue, selectorAt } from './scale-errors.ts';

/**
 * Returns the functions that scale custom resources. The CustomResourceDefinition specifies the paths of the replica
 * counts (SCALE-01 to SCALE-03).
 */
export function customScale(paths: ScaleSubresource): ScaledKind {
  const { specReplicasPath = '', statusReplicasPath = '', labelSelectorPath = '' } = paths;
  return {
    strategicPatches: false,
    countsOf: (object) => ({
      desired: foundValue(replicasAt(object, specReplicasPath)),
      current: foundValue(replicasAt(object, statusReplicasPath)) ?? 0,
      selector: labelSelectorPath === '' ? '' : (foundValue(selectorAt(object, labelSelectorPath)) ?? ''),
    }),
    replicasPath: pathSegments(specReplicasPath),
    requestedReplicas: (scale, current) => replicasOf(scale, current, specReplicasPath),
    checkReadable(object) {
      const found = replicasAt(object, specReplicasPath);
      if (!('fault' in found) && found.value === undefined) {
        throw badRequest(`the spec replicas field ${JSON.stringify(specReplicasPath)} does not exist`);
      }
    },
  };
}

function foundValue<T>(found: ScaleValue<T>): T | undefined {
  if ('fault' in found) throw badRequest(found.fault);
  return found.value;
}

/**
 * Returns the replica count in a Scale that a client sent; 0 if the Scale has none. Throws 400 if neither the Scale nor
 * the custom resource has a replica count (SCALE-03).
 */
function replicasOf(scale: KubeObject, current: KubeObject, path: string): number {
  const sent = valueAt(scale as JsonValue, 'spec', 'replicas');
  if (typeof sent === 'number') return sent;
  if (foundValue(replicasAt(current, path)) === undefined) {
    throw badRequest(`the spec replicas field ${JSON.stringify(path)} cannot be empty`);
  }
  return 0;
}
