import type { KubeObject } from '../api/meta.ts';
import { nonDeletableAnnotation } from '../api/naming.ts';

/** True if the annotation `non-deletable` protects the object from deletion. */
export function isNonDeletable(object: KubeObject): boolean {
  return object.metadata.annotations?.[nonDeletableAnnotation] === 'true';
}
