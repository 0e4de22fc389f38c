import { writeJson } from '@flotilla/json';
import { groupResourceOf } from '../../api/resource.ts';
import { forbidden } from '../../api/status.ts';
import type { ControlPlane } from '../control-plane.ts';
import type { AdmissionAttributes, PlanePart } from '../plane-part.ts';

export interface SizeLimitOptions {
  /** The memory limit for all objects of the plane, in bytes, as its caches estimate it. */
  readonly maxBytes: number;
  plane(): Pick<ControlPlane, 'stores'>;
}

/**
 * The plane's size is not computed for every write, because summing up all caches takes longer than many writes. The
 * more capacity is free, the more writes skip the check: one for each of these bytes.
 */
const bytesPerSkippedCheck = 8 * 1024 * 1024;
const maxSkippedChecks = 64;

/**
 * Limits the size of a plane, because a plane in use is held in memory as a whole, beside all others. A full plane
 * refuses writes that make it larger. Deletes and writes that do not grow an object are allowed. Concurrent writes may
 * exceed the limit slightly.
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
