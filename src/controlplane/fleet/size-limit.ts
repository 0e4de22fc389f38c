import { writeJson } from '@flotilla/json';
import { groupResourceOf } from '../../api/resource.ts';
import { forbidden } from '../../api/status.ts';
import type { ControlPlane } from '../control-plane.ts';
import type { AdmissionAttributes, PlanePart } from '../plane-part.ts';

export interface SizeLimitOptions {
  /** The maximum size of all objects of the plane in memory, in bytes. The caches of its kinds estimate the size. */
  readonly maxBytes: number;
  plane(): Pick<ControlPlane, 'stores'>;
}

/**
 * Computing the size takes longer than many writes, so most writes skip the check. After each check, the next N writes
 * skip it. N is the number of times that 8 MiB fit into the free capacity, but at most `maxSkippedChecks`.
 */
const bytesPerSkippedCheck = 8 * 1024 * 1024;
const maxSkippedChecks = 64;

/**
 * Limits the size of a plane, because a plane in use is completely in memory. A full plane refuses writes that increase
 * its size; deletes and other writes are allowed. Concurrent writes may exceed the limit slightly.
 */
export function sizeLimitPart({ maxBytes, plane }: SizeLimitOptions): PlanePart {
  let checksToSkip = 0;
  const isFull = (): boolean => {
    if (checksToSkip > 0) {
      checksToSkip -= 1;
      return false;
    }
    let freeBytes = maxBytes;
    for (const store of plane().stores()) freeBytes -= store.objectBytes();
    checksToSkip = Math.max(0, Math.min(maxSkippedChecks, Math.floor(freeBytes / bytesPerSkippedCheck)));
    return freeBytes <= 0;
  };
  return {
    resources: [],
    mount: () => [],
    admit({ operation, resource, draft }) {
      if (operation === 'DELETE' || !isFull() || !isLarger(draft)) return;
      const limit = `its objects have reached the limit of ${Math.floor(maxBytes / 1024 / 1024)} MiB`;
      throw forbidden(
        groupResourceOf(resource),
        draft.object.metadata.name ?? '',
        `the cluster is full: ${limit}; delete objects to free space`,
      );
    },
  };
}

function isLarger({ object, old }: AdmissionAttributes['draft']): boolean {
  return old === undefined || writeJson(object).length > writeJson(old.object).length;
}
