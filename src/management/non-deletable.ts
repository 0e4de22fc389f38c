import type { KubeObject } from '../api/meta.ts';
import { nonDeletableAnnotation } from '../api/naming.ts';

/** Somebody has asked that this is not deleted before the annotation is taken off. */
export function isNonDeletable(object: KubeObject): boolean {
  return object.metadata.annotations?.[nonDeletableAnnotation] === 'true';
}
