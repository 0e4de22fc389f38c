import type { KubeObject } from '../../../src/api/meta.ts';
import { StatusError } from '../../../src/api/status.ts';
import type { KindRef, ObjectKey } from '../kind-ref.ts';
import { getObject, patchObject } from './objects.ts';

/** The maximum number of conflicts before the error is shown. */
const maxAttempts = 5;

/**
 * Changes the current object on the server, not the version that the page last saw. `change` returns the merge patch
 * and is called again with the newer object after a conflict. Lists that two users change keep both changes.
 */
export async function changeObject<Type extends KubeObject>(
  kind: KindRef<Type>,
  place: ObjectKey,
  change: (object: Type) => object,
): Promise<Type> {
  for (let tries = 1; ; tries += 1) {
    const object = await getObject(kind, place);
    const patch = change(object) as { metadata?: object };
    const { resourceVersion } = object.metadata;
    try {
      return await patchObject(kind, place, { ...patch, metadata: { ...patch.metadata, resourceVersion } });
    } catch (error) {
      const isConflict = error instanceof StatusError && error.status.reason === 'Conflict';
      if (!isConflict || tries === maxAttempts) throw error;
    }
  }
}
