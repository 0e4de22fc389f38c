import type { Write } from '../store/store.ts';
import { dueRange, gcRange, pendingRange, upkeepSlice } from './rows.ts';

/** What a commit has left for upkeep: so that it looks for that, and not for everything. */
export interface LeftWork {
  /** The first new deadline, in milliseconds since the epoch; undefined: none. */
  readonly deadline: number | undefined;
  readonly garbage: boolean;
  readonly pending: boolean;
}

/** undefined: nothing. */
export function leftWork(writes: readonly Write[]): LeftWork | undefined {
  let deadline: number | undefined;
  let garbage = false;
  let pending = false;
  for (const { key, value } of writes) {
    if (key.slice !== upkeepSlice || value === undefined) continue;
    const [what, time] = key.segments;
    if (what === dueRange.prefix[0]) deadline = Math.min(deadline ?? Number.POSITIVE_INFINITY, Number(time));
    else if (what === gcRange.prefix[0]) garbage = true;
    else if (what === pendingRange.prefix[0]) pending = true;
  }
  return deadline === undefined && !garbage && !pending ? undefined : { deadline, garbage, pending };
}
