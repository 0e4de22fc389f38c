import { type Maintenance, startMaintenance } from '../../controlplane/maintenance/maintenance.ts';
import type { MaintenanceOptions } from '../../controlplane/maintenance/maintenance-options.ts';
import type { MaintenanceWork } from '../../registry/write/maintenance-work.ts';
import { listenToBells } from '../../replicas/bells.ts';
import type { Replicas } from '../../replicas/replicas.ts';
import { shardOf } from '../../replicas/shards.ts';
import type { Tenure } from '../../replicas/tenure.ts';

/** The interval between scans for rows that other servers have written without replacing the bell. */
const rescanMs = 5_000;

/** The maintenance of this server. If several servers share the store, each maintains the planes of its shards. */
export class ServerMaintenance {
  readonly #options: MaintenanceOptions;
  #running: Maintenance | undefined;

  constructor(options: MaintenanceOptions) {
    this.#options = options;
  }

  /**
   * Starts to process work that this process has recorded. If other servers use the store, does nothing, because bells
   * start the work.
   */
  wake(work: MaintenanceWork): void {
    if (!this.#options.store.isShared) this.#running?.wake(work);
  }

  /** Runs the maintenance in every tenure. Returns a function that stops it. */
  run(replicas: Replicas): () => Promise<void> {
    return replicas.run((tenure) => this.#start(tenure));
  }

  #start(tenure: Tenure): () => Promise<void> {
    const { fence } = tenure;
    const owns = (planeId: string) => tenure.owns(shardOf(planeId));
    const maintenance = startMaintenance({ ...this.#options, ...(fence === undefined ? {} : { fence, owns }) });
    this.#running = maintenance;
    maintenance.wake();
    const stopFollowing = fence === undefined ? () => {} : this.#followOthers(tenure, maintenance);
    return async () => {
      this.#running = undefined;
      stopFollowing();
      await maintenance.stop();
    };
  }

  /** Wakes the maintenance for rows that any server has written. */
  #followOthers(tenure: Tenure, maintenance: Maintenance): () => void {
    const { store, clock } = this.#options;
    const wake = () => maintenance.wake();
    let cancelRescan = () => {};
    const rescan = () => {
      cancelRescan = clock.after(rescanMs, () => {
        wake();
        rescan();
      });
    };
    rescan();
    const stops = [
      () => cancelRescan(),
      tenure.onGained(wake),
      tenure.addWork({ isBusy: (term) => maintenance.isBusyWith((planeId) => shardOf(planeId) === term) }),
      listenToBells({
        store,
        clock,
        onGap: wake,
        onRing(term, value) {
          if (tenure.owns(term)) maintenance.wake(JSON.parse(value) as MaintenanceWork);
        },
      }),
    ];
    return () => {
      for (const stop of stops) stop();
    };
  }
}
