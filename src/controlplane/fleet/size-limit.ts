import { writeJson } from '@flotilla/json';
import { groupResourceOf } from '../../api/resource.ts';
import { forbidden } from '../../api/status.ts';
import type { ControlPlane } from '../control-plane.ts';
import type { AdmissionAttributes, PlanePart } from '../plane-part.ts';

export interface SizeLimitOptions {
  /** The maximum size of all objects of the plane in memory, in bytes. The caches of its kinds estimate the size. */
  readonly maxBytes: number;
  /** The maximum number of objects of the plane. */
  readonly maxObjects: number;
  plane(): Pick<ControlPlane, 'stores'>;
}

/**
 * The default maximum number of objects, far more than a team stores in a virtual cluster. The limit bounds the time to
 * load the plane from disk and to list a kind, which would be long with many tiny objects.
 */
export const defaultMaxObjects = 100_000;

/**
 * The free bytes for each write that skips the check. Computing the size takes longer than many writes, so most writes
 * skip the check. After each check, the next N writes skip it: one write for each 8 MiB of free memory and each 8 free
 * objects, whichever gives the smaller N, but at most `maxSkippedChecks`. A write may create several objects, for
 * example a namespace with its service account.
 */
const bytesPerSkippedCheck = 8 * 1024 * 1024;
const objectsPerSkippedCheck = 8;
const maxSkippedChecks = 64;

/**
 * Limits the size of a plane, because a plane in use is completely in memory. A full plane refuses writes that increase
 * its size; deletes and other writes are allowed. Concurrent writes may exceed the limits slightly.
 */
export function sizeLimitPart({ maxBytes, maxObjects, plane }: SizeLimitOptions): PlanePart {
  let checksToSkip = 0;
  const isFull = { bytes: false, objects: false };
  const check = (): void => {
    if (checksToSkip > 0) {
      checksToSkip -= 1;
      return;
    }
    let freeBytes = maxBytes;
    let freeObjects = maxObjects;
    for (const store of plane().stores()) {
      freeBytes -= store.objectBytes();
      freeObjects -= store.count();
    }
    isFull.bytes = freeBytes <= 0;
    isFull.objects = freeObjects <= 0;
    const skippable = Math.min(freeBytes / bytesPerSkippedCheck, freeObjects / objectsPerSkippedCheck);
    checksToSkip = Math.max(0, Math.min(maxSkippedChecks, Math.floor(skippable)));
  };
  return {
    resources: [],
    mount: () => [],
    admit({ operation, resource, requestKind, draft }) {
      if (operation === 'DELETE' || requestKind !== undefined) return;
      check();
      const isNew = draft.old === undefined;
      let limit: string;
      if (isFull.objects && isNew)
        limit = `it has ${maxObjects} objects, the maximum (server setting planes.maxObjects)`;
      else if (isFull.bytes && isLarger(draft)) limit = `its objects have reached the limit of ${mebibytes(maxBytes)}`;
      else return;
      throw forbidden(
        groupResourceOf(resource),
        draft.object.metadata.name ?? '',
        `the cluster is full: ${limit}; delete objects to free space`,
      );
    },
  };
}

function mebibytes(bytes: number): string {
  return `${Math.floor(bytes / 1024 / 1024)} MiB (server setting planes.maxBytes)`;
}

function isLarger({ object, old }: AdmissionAttributes['draft']): boolean {
  return old === undefined || writeJson(object).length > writeJson(old.object).length;
}
