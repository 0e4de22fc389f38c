import type { MaintenanceWork } from '../../registry/write/maintenance-work.ts';
import { ActivePlanes } from './active-planes.ts';
import { deadlineWorker } from './deadline-worker.ts';
import { garbageWorker } from './garbage-worker.ts';
import type { MaintenanceOptions } from './maintenance-options.ts';
import { reconcileWorker } from './reconcile-worker.ts';

export interface Maintenance {
  /**
   * Starts processing new work. Must be called after every commit that has written maintenance rows. Without an
   * argument, rows of all types are processed.
   */
  wake(work?: MaintenanceWork): void;
  /** True if a task is running in a plane for which `matches` returns true. */
  isBusyWith(matches: (planeId: string) => boolean): boolean;
  /** Resolves after all work that is due now is done. For tests, and for draining before a shutdown. */
  idle(): Promise<void>;
  stop(): Promise<void>;
}

/**
 * Runs the maintenance of all control planes: collects garbage, ends grace periods, deletes expired objects and runs
 * pending reconciles. Each item of work is a row in the store, written in the same transaction as its cause. The row is
 * deleted after the work is complete, so a crash loses no work.
 */
export function startMaintenance(given: MaintenanceOptions): Maintenance {
  const active = new ActivePlanes();
  const options: MaintenanceOptions = { ...given, runTask: active.recording(given.runTask) };
  const reconciles = reconcileWorker(options);
  const garbage = garbageWorker(options);
  const deadlines = deadlineWorker(options);
  const workers = [reconciles, garbage, deadlines];
  return {
    wake(work) {
      if (work?.reconcile !== false) reconciles.wake();
      if (work?.garbage !== false) garbage.wake();
      if (work === undefined || work.deadline !== undefined) deadlines.wake(work?.deadline);
    },
    isBusyWith: (matches) => active.has(matches),
    async idle() {
      do {
        await Promise.all(workers.map((worker) => worker.idle()));
        // Each worker can write new rows for the other workers, so check all workers again.
      } while (workers.some((worker) => !worker.isIdle));
    },
    async stop() {
      await Promise.all(workers.map((worker) => worker.stop()));
    },
  };
}
