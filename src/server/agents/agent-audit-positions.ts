import { isJsonObject } from '@flotilla/json';
import type { Key } from '../../store/key.ts';
import type { Revision, Store } from '../../store/store.ts';
import { StoreError } from '../../store/store-error.ts';

/**
 * The maximum number of audit logs of one agent whose positions are stored. An agent starts a new log only if it loses
 * its directory, but an untrusted agent could invent logs.
 */
const maxLogs = 16;

/**
 * The numbers of the next expected lines of agents' audit logs. They are stored in a row per cluster, because an agent
 * may upload its lines to any replica.
 */
export class AgentAuditPositions {
  readonly #store: Store;

  constructor(store: Store) {
    this.#store = store;
  }

  /**
   * Returns the number of the next expected line: the line after the last one that a replica has confirmed. Returns 0
   * if no line was confirmed.
   */
  async next(cluster: string, log: string): Promise<number> {
    const { positions } = await this.#read(cluster);
    return positions.get(log) ?? 0;
  }

  /** Confirms all lines before `next`. Has no effect if another replica has confirmed more. */
  async advance(cluster: string, log: string, next: number): Promise<void> {
    for (;;) {
      const { positions, revision } = await this.#read(cluster);
      if ((positions.get(log) ?? 0) >= next) return;
      positions.delete(log);
      positions.set(log, next);
      const [oldest] = positions.size > maxLogs ? positions.keys() : [];
      if (oldest !== undefined) positions.delete(oldest);
      const key = rowKey(cluster);
      const value = JSON.stringify(Object.fromEntries(positions));
      try {
        await this.#store.transact({ checks: [{ key, revision }], writes: [{ key, value }] });
        return;
      } catch (error) {
        // Another replica has replaced the row in the meantime.
        if (!(error instanceof StoreError) || error.code !== 'CheckFailed') throw error;
      }
    }
  }

  /** Removes the positions of a deleted cluster. */
  async forget(cluster: string): Promise<void> {
    await this.#store.transact({ writes: [{ key: rowKey(cluster), value: undefined }] });
  }

  async #read(cluster: string): Promise<{ positions: Map<string, number>; revision: Revision | undefined }> {
    const entry = await this.#store.get(rowKey(cluster));
    const stored: unknown = entry === undefined ? {} : JSON.parse(entry.value);
    const numbers = Object.entries(isJsonObject(stored) ? stored : {}).filter(
      (position): position is [string, number] => typeof position[1] === 'number',
    );
    return { positions: new Map(numbers), revision: entry?.revision };
  }
}

function rowKey(cluster: string): Key {
  return { slice: 'audit', segments: ['agents', cluster] };
}
