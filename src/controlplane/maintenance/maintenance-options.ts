import type { Clock } from '../../lib/clock.ts';
import type { Log } from '../../lib/log.ts';
import type { Store } from '../../store/store.ts';
import type { TaskRunner } from './maintenance-task.ts';

export interface MaintenanceOptions {
  readonly store: Store;
  readonly clock: Clock;
  readonly log: Log;
  readonly runTask: TaskRunner;
}
