import type { KubeObject } from '../../src/api/meta.ts';
import { StatusError } from '../../src/api/status.ts';
import type { KindRef, ObjectPlace } from './kind-ref.ts';
import { getObject, patchObject } from './objects.ts';

/** So many others may be quicker before it is told that somebody else changes the same all the time. */
const mostTries = 5;

/**
 * Changes an object as it is on the server now, not as the page last saw it: `change` gives the merge patch, and is
 * asked again with the newer one where somebody else wrote in between. Lists that two people change keep both changes.
 */
export async function changeObject(
  kind: KindRef,
  place: ObjectPlace,
  change: (object: KubeObject) => object,
): Promise<KubeObject> {
  for (let tries = 1; ; tries += 1) {
    const object = await getObject(kind, place);
    const patch = change(object) as { metadata?: object };
    const { resourceVersion } = object.metadata;
    try {
      return await patchObject(kind, place, { ...patch, metadata: { ...patch.metadata, resourceVersion } });
    } catch (error) {
      const isOvertaken = error instanceof StatusError && error.status.reason === 'Conflict';
      if (!isOvertaken || tries === mostTries) throw error;
    }
  }
}
