import type { Write } from '../../store/store.ts';
import { deadlineRange, gcRange, maintenanceSlice, reconcileRange } from '../rows/rows.ts';

/** The kinds of maintenance rows that a commit wrote, so that maintenance reads only rows of these kinds. */
export interface MaintenanceWork {
  /** The earliest new deadline, in milliseconds since the epoch; `undefined` if there is none. */
  readonly deadline: number | undefined;
  readonly garbage: boolean;
  readonly reconcile: boolean;
}

/** Returns the maintenance work that the writes record; `undefined` if there is none. */
export function maintenanceWorkOf(writes: readonly Write[]): MaintenanceWork | undefined {
  let deadline: number | undefined;
  let garbage = false;
  let pending = false;
  for (const { key, value } of writes) {
    if (key.slice !== maintenanceSlice || value === undefined) continue;
    const [what, time] = key.segments;
    if (what === deadlineRange.prefix[0]) deadline = Math.min(deadline ?? Number.POSITIVE_INFINITY, Number(time));
    else if (what === gcRange.prefix[0]) garbage = true;
    else if (what === reconcileRange.prefix[0]) pending = true;
  }
  return deadline === undefined && !garbage && !pending ? undefined : { deadline, garbage, reconcile: pending };
}

/** Deadlines later than this are found by the regular scans of the process that runs the tasks of the plane. */
const urgentMs = 10_000;

/** True if the process that runs the tasks of the plane must learn of the work at once. `now` is wall-clock time. */
export function isUrgent({ deadline, garbage, reconcile }: MaintenanceWork, now: number): boolean {
  return garbage || reconcile || (deadline !== undefined && deadline < now + urgentMs);
}
