import type { KubeObject } from '../../../src/api/meta.ts';
import { StatusError } from '../../../src/api/status.ts';
import type { KindRef, ObjectKey } from '../kind-ref.ts';
import { getObject, patchObject } from './objects.ts';

/** The maximum number of attempts. If the last attempt also fails with a conflict, the user sees the conflict. */
const maxAttempts = 5;

/**
 * Changes the current object on the server, which may be newer than the version on the page. `change` returns the merge
 * patch for an object. After a conflict, `change` is called again with the newer object. If two users change one list
 * at the same time, both changes are therefore kept.
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
