import type { Clock } from '../../lib/clock.ts';
import type { Log } from '../../lib/log.ts';
import type { RevisionCheck, Store } from '../../store/store.ts';
import type { TaskRunner } from './maintenance-task.ts';

export interface MaintenanceOptions {
  readonly store: Store;
  readonly clock: Clock;
  readonly log: Log;
  readonly runTask: TaskRunner;
  /** The check for all transactions of the tasks (`RequestContext.fence`). Optional; defaults to none. */
  readonly fence?: RevisionCheck | undefined;
  /**
   * True if this process runs the tasks of the plane; another process runs the tasks of other planes. Optional;
   * defaults to true for all planes.
   */
  owns?(planeId: string): boolean;
}
