import type { PlaneUsage } from '../../builtin/plane-usage.ts';
import type { Key } from '../../store/key.ts';
import { maxTransactionWrites, type Store } from '../../store/store.ts';
import type { RequestCounts } from './request-counters.ts';
import { usageSlice } from './usage-rows.ts';

/** The usage that one server has counted in an interval. */
export interface Contribution {
  /** The requests by the uid of the instance. */
  readonly requests: ReadonlyMap<string, RequestCounts>;
  /** The planes of the built-in cluster. */
  readonly planes: readonly PlaneUsage[];
}

const prefix = 'contribution';
/** The number of entries per row, so a row stays below 100 kB. */
const entriesPerRow = 500;
/**
 * The maximum number of rows of a contribution, and of rows in one read. Further entries of a contribution are dropped.
 */
const maxRows = 10 * maxTransactionWrites;

/**
 * The contributions of servers that are not the leader, as unlogged rows that the leader reads and removes. A contribution
 * counts for the interval in which the leader reads it.
 */
export class Contributions {
  readonly #store: Pick<Store, 'list' | 'transact'>;
  readonly #replica: string;
  #number = 0;

  constructor(store: Pick<Store, 'list' | 'transact'>, replica: string) {
    this.#store = store;
    this.#replica = replica;
  }

  /** Stores a contribution for the leader. */
  async write({ requests, planes }: Contribution, now: number): Promise<void> {
    const entries = [...[...requests].map(([uid, counts]) => ['r', uid, counts]), ...planes.map((one) => ['p', one])];
    for (let start = 0; start < entries.length && start < maxRows * entriesPerRow; start += entriesPerRow) {
      this.#number += 1;
      const key = { slice: usageSlice, segments: [prefix, this.#replica, `${now}-${this.#number}`] };
      const value = JSON.stringify(entries.slice(start, start + entriesPerRow));
      await this.#store.transact({ writes: [{ key, value, unlogged: true }] });
    }
  }

  /** Returns the stored contributions of all servers, and their keys. */
  async read(): Promise<{ readonly contributions: readonly Contribution[]; readonly keys: readonly Key[] }> {
    const { entries } = await this.#store.list({ slice: usageSlice, prefix: [prefix] }, { limit: maxRows });
    return { contributions: entries.map(({ value }) => decode(value)), keys: entries.map(({ key }) => key) };
  }
}

type Entry = readonly ['r', string, RequestCounts] | readonly ['p', PlaneUsage];

function decode(text: string): Contribution {
  const requests = new Map<string, RequestCounts>();
  const planes: PlaneUsage[] = [];
  for (const entry of JSON.parse(text) as readonly Entry[]) {
    if (entry[0] === 'r') requests.set(entry[1], entry[2]);
    else planes.push(entry[1]);
  }
  return { requests, planes };
}
