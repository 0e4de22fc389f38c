import { randomBytes } from 'node:crypto';
import { type JsonValue, numberAt, textAt } from '@flotilla/json';
import type { Clock } from '../../../lib/clock.ts';
import type { Log } from '../../../lib/log.ts';
import { withStatusErrors } from '../../../registry/store-status.ts';
import type { Sealer } from '../../../seal/sealer.ts';
import type { Key } from '../../../store/key.ts';
import type { Entry, RevisionCheck, Store, Write } from '../../../store/store.ts';
import { StoreError } from '../../../store/store-error.ts';

export interface GrantRowsOptions<T> {
  readonly store: Pick<Store, 'get' | 'list' | 'transact'>;
  readonly sealer: Pick<Sealer, 'seal' | 'open' | 'hash'>;
  readonly clock: Clock;
  readonly log: Log;
  /** The name of the table, for example `device`. The codes of one table are not valid in other tables. */
  readonly table: string;
  readonly ttlSeconds: number;
  /** Maximum number of grants of one source that have not expired. */
  readonly maxPerSource: number;
  /** Maximum number of grants of all sources, approximately. */
  readonly maxTotal: number;
  /** Creates a code. Optional; by default, 32 random bytes in base64url. */
  generateCode?(): string;
  /** Reads the JSON of a stored value. */
  parse(value: JsonValue): T;
}

export interface CreatedGrant {
  /** The secret that identifies the grant. The store contains only its keyed hash. */
  readonly code: string;
  readonly expiresAt: number;
}

interface StoredGrant<T> {
  readonly id: string;
  readonly entry: Entry;
  readonly source: string;
  readonly expiresAt: number;
  readonly value: T;
}

/** The slice with the grants. Its rows are logged, because only logged rows can be compared by revision. */
const grantsSlice = 'grants';
const removalIntervalMs = 10 * 60_000;
const rowsPerList = 500;
/** The maximum number of attempts to change a grant that others change at the same time, or to find an unused code. */
const maxAttempts = 8;
/** The number of buckets of a table. The first character of a grant's ID, one of 64, determines its bucket. */
const buckets = 64;
/** The number of expired grants that one transaction removes. Each grant needs two writes. */
const removalsPerTransaction = 10;

/**
 * Short-lived records, each identified by a secret code, for example a pending authorization. All replicas can read
 * them. A record can be taken only once. The rows contain a keyed hash of the code and of the source, and the sealed
 * value.
 * The total number of grants is limited per bucket of IDs, so that a create reads only a small part of the table.
 * Concurrent creates can exceed each limit by the number of these creates.
 */
export class GrantRows<T> {
  readonly #options: GrantRowsOptions<T>;
  #cancelRemoval: () => void;

  constructor(options: GrantRowsOptions<T>) {
    this.#options = options;
    this.#cancelRemoval = options.clock.after(removalIntervalMs, () => void this.#removeRegularly());
  }

  close(): void {
    this.#cancelRemoval();
  }

  /**
   * Stores a grant. `source` is the user or the network that causes it. Returns `undefined` if the source, or the table,
   * has too many grants.
   */
  async create(source: string, value: T): Promise<CreatedGrant | undefined> {
    return await withStatusErrors(this.#create(this.#hash('source', source), value));
  }

  /** Returns the value of a grant; `undefined` if the code is unknown or has expired. */
  async read(code: string): Promise<T | undefined> {
    return (await withStatusErrors(this.#find(code)))?.value;
  }

  /**
   * Replaces the value of a grant with the result of `change`, which may be called again if others change the grant at the
   * same time. Returns the new value. If the grant does not exist, or `change` returns `undefined`, nothing is changed and
   * the result is `undefined`.
   */
  async update(code: string, change: (value: T) => T | undefined): Promise<T | undefined> {
    return await this.#changeOnce(code, (found) => {
      const value = change(found.value);
      if (value === undefined) return undefined;
      return { value, writes: [{ key: found.entry.key, value: this.#rowOf({ ...found, value }) }] };
    });
  }

  /**
   * Removes a grant and returns its value. Only one of several concurrent calls gets the value. If `isReady` returns
   * false for the value, the grant is kept and the result is `undefined`.
   */
  async take(code: string, isReady: (value: T) => boolean = () => true): Promise<T | undefined> {
    return await this.#changeOnce(code, (found) =>
      isReady(found.value) ? { value: found.value, writes: this.#removalOf(found.id, found.source) } : undefined,
    );
  }

  async #create(source: string, value: T): Promise<CreatedGrant | undefined> {
    const { clock, maxPerSource, maxTotal, ttlSeconds } = this.#options;
    const ofSource = await this.#listLive(this.#sourcePrefix(source), maxPerSource);
    if (ofSource >= maxPerSource) return undefined;
    const expiresAt = clock.now() + ttlSeconds * 1000;
    for (let attempt = 1; attempt <= maxAttempts; attempt++) {
      const code = this.#options.generateCode?.() ?? randomBytes(32).toString('base64url');
      const id = this.#hash('code', code);
      const key = this.#keyOf(id);
      const limit = Math.ceil(maxTotal / buckets);
      if ((await this.#listLive(key.segments.slice(0, -1), limit)) >= limit) continue;
      const writes = [
        { key, value: this.#rowOf({ id, source, expiresAt, value }) },
        { key: this.#sourceKeyOf(id, source), value: JSON.stringify({ source, expiresAt }) },
      ];
      if (await this.#transact([{ key, revision: undefined }], writes)) return { code, expiresAt };
    }
    return undefined;
  }

  async #changeOnce(
    code: string,
    change: (found: StoredGrant<T>) => { readonly value: T; readonly writes: readonly Write[] } | undefined,
  ): Promise<T | undefined> {
    for (let attempt = 1; attempt <= maxAttempts; attempt++) {
      const found = await withStatusErrors(this.#find(code));
      const changed = found && change(found);
      if (found === undefined || changed === undefined) return undefined;
      const { key, revision } = found.entry;
      if (await withStatusErrors(this.#transact([{ key, revision }], changed.writes))) return changed.value;
    }
    return undefined;
  }

  async #find(code: string): Promise<StoredGrant<T> | undefined> {
    const { store, sealer, clock, parse } = this.#options;
    const id = this.#hash('code', code);
    const entry = await store.get(this.#keyOf(id));
    if (entry === undefined) return undefined;
    const row: JsonValue = JSON.parse(entry.value);
    const expiresAt = numberAt(row, 'expiresAt') ?? 0;
    if (expiresAt <= clock.now()) return undefined;
    const value = parse(JSON.parse(sealer.open(this.#purposeOf(id), textAt(row, 'sealed'))));
    return { id, entry, source: textAt(row, 'source'), expiresAt, value };
  }

  /** Counts the unexpired rows below a prefix, up to `limit`, and removes expired rows. */
  async #listLive(prefix: readonly string[], limit: number): Promise<number> {
    const options = { limit: limit + removalsPerTransaction, skipCount: true };
    const { entries } = await this.#options.store.list({ slice: grantsSlice, prefix }, options);
    const expired = entries.filter((entry) => this.#isExpired(entry));
    await this.#remove(expired.slice(0, removalsPerTransaction));
    return entries.length - expired.length;
  }

  async #removeRegularly(): Promise<void> {
    const { clock, log } = this.#options;
    try {
      await this.#removeExpired();
    } catch (error) {
      log.warn({ error: String(error) }, 'cannot remove expired grants');
    }
    this.#cancelRemoval = clock.after(removalIntervalMs, () => void this.#removeRegularly());
  }

  /** Removes expired grants. All replicas do this. */
  async #removeExpired(): Promise<void> {
    const { store, table } = this.#options;
    let after: Key | undefined;
    do {
      const page = { limit: rowsPerList, skipCount: true, ...(after === undefined ? {} : { after }) };
      const { entries } = await store.list({ slice: grantsSlice, prefix: [table] }, page);
      const expired = entries.filter((entry) => this.#isExpired(entry));
      for (let start = 0; start < expired.length; start += removalsPerTransaction)
        await this.#remove(expired.slice(start, start + removalsPerTransaction));
      after = entries.length < rowsPerList ? undefined : entries.at(-1)?.key;
    } while (after !== undefined);
  }

  /**
   * Removes expired rows. A grant has two rows, and both are removed. Expired grants never change, so no check is
   * needed.
   */
  async #remove(expired: readonly Entry[]): Promise<void> {
    const ids = new Map(
      expired.map(({ key, value }) => [key.segments.at(-1) ?? '', textAt(JSON.parse(value), 'source')]),
    );
    const writes = [...ids].flatMap(([id, source]) => this.#removalOf(id, source));
    if (writes.length > 0) await this.#options.store.transact({ writes });
  }

  /** Writes rows. Returns false if a checked row was changed in the meantime. */
  async #transact(checks: readonly RevisionCheck[], writes: readonly Write[]): Promise<boolean> {
    try {
      await this.#options.store.transact({ checks, writes });
      return true;
    } catch (error) {
      if (error instanceof StoreError && error.code === 'CheckFailed') return false;
      throw error;
    }
  }

  #isExpired({ value }: Entry): boolean {
    return (numberAt(JSON.parse(value), 'expiresAt') ?? 0) <= this.#options.clock.now();
  }

  #removalOf(id: string, source: string): Write[] {
    return [this.#keyOf(id), this.#sourceKeyOf(id, source)].map((key) => ({ key, value: undefined }));
  }

  #rowOf({ id, source, expiresAt, value }: Omit<StoredGrant<T>, 'entry'>): string {
    const sealed = this.#options.sealer.seal(this.#purposeOf(id), JSON.stringify(value));
    return JSON.stringify({ expiresAt, source, sealed });
  }

  #keyOf(id: string): Key {
    return { slice: grantsSlice, segments: [this.#options.table, 'codes', id.slice(0, 1), id] };
  }

  #sourceKeyOf(id: string, source: string): Key {
    return { slice: grantsSlice, segments: [...this.#sourcePrefix(source), id] };
  }

  #sourcePrefix(source: string): readonly string[] {
    return [this.#options.table, 'sources', source];
  }

  #hash(member: 'code' | 'source', text: string): string {
    return this.#options.sealer.hash(`grant ${this.#options.table} ${member}`, text);
  }

  #purposeOf(id: string): string {
    return `grant ${this.#options.table} ${id}`;
  }
}
