import { groupResourceOf } from '../../api/resource.ts';
import { forbidden } from '../../api/status.ts';
import { writeJson } from '../../lib/json-write.ts';
import type { ControlPlane } from '../control-plane.ts';
import type { AdmittedWrite, PlanePart } from '../plane-part.ts';

export interface SizeLimitOptions {
  /** What the objects of the plane may take in memory together, in bytes, by the estimate of their caches. */
  readonly mostBytes: number;
  plane(): Pick<ControlPlane, 'stores'>;
}

/** To ask all caches takes longer than many a write: with so much room left for each, that many writes go unasked. */
const roomForEach = 8 * 1024 * 1024;
const mostUnasked = 64;

/**
 * Whoever uses a plane has all of it in memory, beside everybody else's: one that is full takes nothing more. What makes it
 * no larger is let through, and so are deletes, by which it gets room again. Writes under way at the same time may go a little
 * beyond the limit.
 */
export function sizeLimitPart({ mostBytes, plane }: SizeLimitOptions): PlanePart {
  let unasked = 0;
  const isFull = (): boolean => {
    if (unasked > 0) {
      unasked -= 1;
      return false;
    }
    let room = mostBytes;
    for (const store of plane().stores()) room -= store.objectBytes();
    unasked = Math.max(0, Math.min(mostUnasked, Math.floor(room / roomForEach)));
    return room <= 0;
  };
  return {
    resources: [],
    mount: () => [],
    admit({ operation, resource, draft }) {
      if (operation === 'DELETE' || !isFull() || !isLarger(draft)) return;
      const limit = `its objects take the ${Math.floor(mostBytes / 1024 / 1024)} MiB that they may, or more`;
      throw forbidden(
        groupResourceOf(resource),
        draft.object.metadata.name ?? '',
        `the cluster is full: ${limit}; delete something first`,
      );
    },
  };
}

function isLarger({ object, old }: AdmittedWrite['draft']): boolean {
  return old === undefined || writeJson(object).length > writeJson(old.object).length;
}
