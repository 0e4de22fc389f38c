import type { KubeObject } from '../../api/meta.ts';
import { invalidObject } from '../../api/status.ts';
import type { KindRuntime } from '../kind-runtime.ts';

/**
 * Throws 422 if the kind does not allow objects of this size (`StoredResource.sizeErrors`). `old` is the stored object.
 */
export function rejectOversized({ resource }: KindRuntime, object: KubeObject, old?: KubeObject): void {
  const errors = resource.sizeErrors?.(object, old) ?? [];
  if (errors.length > 0) throw invalidObject(resource, object.metadata.name ?? '', errors);
}
