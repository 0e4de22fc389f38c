import type { Log } from '../lib/log.ts';
import type { RevisionCheck, Store } from '../store/store.ts';
import { isCheckFailed } from './check-failed.ts';
import { type ReplicaRows, rosterKey } from './replica-rows.ts';
import { readSchema, schemaKey } from './store-schema.ts';

export interface SchemaUpgradeOptions {
  /** The ID of this replica. */
  readonly id: string;
  readonly store: Pick<Store, 'get' | 'transact'>;
  readonly log: Log;
}

/** Raises the schema of a shared store as soon as all replicas support it, and reports which replicas do not. */
export class SchemaUpgrade {
  readonly #options: SchemaUpgradeOptions;
  /**
   * The schema of the store when it was last read or raised. Another replica may have raised it since, but it is never
   * lowered.
   */
  #known = 0;
  /** The last report, so that it is not repeated. */
  #reported = '';

  constructor(options: SchemaUpgradeOptions) {
    this.#options = options;
  }

  /**
   * Raises the schema to the highest version that all replicas support. Must be called by the leader. `fence` checks
   * that the leader is registered. A replica that registers at the same time changes the roster. Either this
   * transaction then fails, or the registration fails and the replica reads the new schema.
   */
  async raise(rows: ReplicaRows, fence: RevisionCheck): Promise<void> {
    const { store, log } = this.#options;
    const highest = Math.min(...[...rows.members.values()].map(({ row }) => row.schemas[1]));
    if (highest <= this.#known) return;
    const { schema, revision } = await readSchema(store);
    this.#known = schema;
    if (!(schema < highest)) return;
    const checks = [fence, { key: schemaKey, revision }, { key: rosterKey, revision: rows.roster }];
    try {
      await store.transact({ checks, writes: [{ key: schemaKey, value: String(highest) }] });
    } catch (error) {
      // A replica has registered in the meantime. The rows are read again soon.
      if (isCheckFailed(error)) return;
      throw error;
    }
    this.#known = highest;
    log.info({ schema: highest }, `raised the schema of the store from ${schema} to ${highest}`);
  }

  /**
   * Logs a warning if some replicas do not support the highest schema that another replica supports. The warning is
   * logged by the leader and by each outdated replica.
   */
  report(rows: ReplicaRows, isLeader: boolean): void {
    const { id, log } = this.#options;
    const { newest, replicas } = outdatedReplicas(rows);
    const isOutdated = replicas.includes(id);
    const report = isOutdated || (isLeader && replicas.length > 0) ? `${newest} ${replicas.join(' ')}` : '';
    if (report === this.#reported) return;
    this.#reported = report;
    if (report === '') return;
    if (isOutdated) {
      log.warn({ schema: newest }, `other replicas support schema ${newest}; upgrade this replica or stop it`);
    } else {
      const message = `these replicas do not support schema ${newest}, so the store does not use it yet; upgrade or stop them`;
      log.warn({ schema: newest, replicas }, message);
    }
  }
}

/** Returns the highest schema that any replica supports, and the replicas that do not support this schema. */
export function outdatedReplicas({ members }: Pick<ReplicaRows, 'members'>): {
  readonly newest: number;
  readonly replicas: readonly string[];
} {
  const newest = Math.max(...[...members.values()].map(({ row }) => row.schemas[1]));
  return { newest, replicas: [...members].filter(([, { row }]) => row.schemas[1] < newest).map(([id]) => id) };
}
