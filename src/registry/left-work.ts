import type { Write } from '../store/store.ts';
import { dueRange, gcRange, pendingRange, upkeepSlice } from './rows.ts';

/** The maintenance work that a commit has left, so that maintenance looks only for that. */
export interface LeftWork {
  /** The earliest new deadline, in milliseconds since the epoch; `undefined` if there is none. */
  readonly deadline: number | undefined;
  readonly garbage: boolean;
  readonly pending: boolean;
}

/** Returns `undefined` if the writes leave no work. */
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
