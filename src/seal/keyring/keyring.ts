import { randomBytes } from 'node:crypto';
import { backoffDelay } from '../../lib/backoff.ts';
import type { Clock } from '../../lib/clock.ts';
import type { Log } from '../../lib/log.ts';
import { wait } from '../../lib/wait.ts';
import type { Key } from '../../store/key.ts';
import type { Entry, Store } from '../../store/store.ts';
import { isStoreClosed, StoreError, storeClosedError } from '../../store/store-error.ts';
import { SealError, type SealerKeys } from '../open-sealer.ts';
import type { RootKeys } from '../root/root-keys.ts';
import { type DataKey, type DataKeys, dataKeyIdLength, type EncryptedRows } from '../rows/row-cipher.ts';
import { decodeKeyring, encodeKeyring, type KeyringRecord, type StoredDataKey } from './keyring-record.ts';

/** The row with the keys of the installation. It is never encrypted with a data key. */
export const keyringKey: Key = { slice: 'installation', segments: ['keyring'] };

/** The purpose of the wrapped keys of the sealer. */
export const sealerPurpose = 'sealer';
const dataKeyBytes = 32;
const reloadBackoff = { initialMilliseconds: 200, maxMilliseconds: 1_000 };
/** The pauses between attempts to decrypt keys that no request needs now. */
const retryBackoff = { initialMilliseconds: 1_000, maxMilliseconds: 10_000 };
/** The time after which a read or write fails if a key cannot be decrypted. */
const maxLoadMs = 5_000;

export interface KeyringOptions {
  /** The store that holds the row. */
  readonly store: Store;
  readonly roots: RootKeys;
  /** Which rows are encrypted, as set in the settings. If `undefined`, the value in the keyring row applies. */
  readonly rows: EncryptedRows | undefined;
  readonly clock: Clock;
  readonly log: Log;
}

/** Returns a new keyring that contains these keys for the sealer. */
export async function newKeyring(
  roots: RootKeys,
  rows: EncryptedRows,
  { sealingKey, hashingKey }: SealerKeys,
): Promise<KeyringRecord> {
  return { rows, sealer: await roots.wrap(sealerPurpose, Buffer.concat([sealingKey, hashingKey])), dataKeys: [] };
}

/**
 * The keys of an installation in memory, and the row from which they were read. The keyring observes the row, because
 * other servers may change it.
 */
export class Keyring implements DataKeys {
  readonly #options: KeyringOptions;
  readonly #keys = new Map<string, DataKey>();
  readonly #closing = new AbortController();
  #record: KeyringRecord;
  #sealerKeys: SealerKeys;
  #isEnabled = false;
  readonly #listeners = new Set<() => void>();
  #loading: Promise<void> | undefined;
  #isRetrying = false;
  /** The reason why keys in the store could not be decrypted; `undefined` if all keys are known. */
  #problem: string | undefined;

  private constructor(options: KeyringOptions, record: KeyringRecord, sealerKeys: SealerKeys) {
    this.#options = options;
    this.#record = record;
    this.#sealerKeys = sealerKeys;
  }

  /** Decrypts the keys of the row. Rejects with SealError if a root key is missing, or with StoreError. */
  static async open(options: KeyringOptions): Promise<Keyring> {
    const entry = await options.store.get(keyringKey);
    if (entry === undefined) throw new SealError('the store has no row installation/keyring; restore a backup');
    const record = decodeKeyring(entry.value);
    const bytes = await options.roots.unwrap(sealerPurpose, record.sealer);
    const sealerKeys = { sealingKey: bytes.subarray(0, 32), hashingKey: bytes.subarray(32) };
    const keyring = new Keyring(options, record, sealerKeys);
    await keyring.#learn(record);
    return keyring;
  }

  get sealerKeys(): SealerKeys {
    return this.#sealerKeys;
  }

  get record(): KeyringRecord {
    return this.#record;
  }

  /** The rows that this server encrypts. */
  get rows(): EncryptedRows {
    return this.#options.rows ?? this.#record.rows;
  }

  get problem(): string | undefined {
    return this.#problem;
  }

  /** The newest data key; `undefined` if there is none, or if one of the servers cannot read encrypted rows. */
  get current(): DataKey | undefined {
    if (!this.#isEnabled) return undefined;
    const newest = this.#record.dataKeys.findLast(({ id }) => this.#keys.has(id));
    return newest && this.#keys.get(newest.id);
  }

  find(id: string): DataKey | undefined {
    return this.#keys.get(id);
  }

  /** True if all servers of the store can read encrypted rows. */
  get isEnabled(): boolean {
    return this.#isEnabled;
  }

  /**
   * Starts to encrypt rows that are written. Must be called only after all servers of the store can read encrypted
   * rows.
   */
  enable(): void {
    this.#isEnabled = true;
  }

  /** Calls the listener after the row was read again. Returns a function that removes the listener. */
  listen(listener: () => void): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  /**
   * Resolves after the data key is known. Rejects with StoreError: Damaged if the key does not exist, and Unavailable if it
   * cannot be decrypted within some seconds.
   */
  async load(id: string): Promise<void> {
    const { clock } = this.#options;
    const startedAt = clock.elapsed();
    for (let failures = 1; !this.#keys.has(id); failures++) {
      if (this.#closing.signal.aborted) throw storeClosedError();
      await this.reload();
      if (this.#keys.has(id)) return;
      if (this.#problem === undefined) {
        throw new StoreError('Damaged', `the data key ${id} is not in the store; restore a backup`);
      }
      if (clock.elapsed() - startedAt >= maxLoadMs) throw new StoreError('Unavailable', this.#problem);
      await wait(clock, backoffDelay(failures, reloadBackoff), this.#closing.signal);
    }
  }

  /** Reads the row again and decrypts new keys. A failure is logged and becomes `problem`. */
  async reload(): Promise<void> {
    this.#loading ??= this.#reload().finally(() => {
      this.#loading = undefined;
    });
    await this.#loading;
  }

  /**
   * Replaces the row with the result of `change`. If another server has changed the row in the meantime, `change` is
   * called again with the new row. `change` returns `undefined` to leave the row unchanged. Rejects with SealError or
   * StoreError.
   */
  async update(change: (record: KeyringRecord) => Promise<KeyringRecord | undefined>): Promise<void> {
    const { store } = this.#options;
    for (;;) {
      const entry = await this.#read();
      const next = await change(decodeKeyring(entry.value));
      if (next === undefined) return;
      try {
        const checks = [{ key: keyringKey, revision: entry.revision }];
        // The keys must be known before the first row that needs them can arrive.
        await this.#learn(next);
        await store.transact({ checks, writes: [{ key: keyringKey, value: encodeKeyring(next) }] });
        await this.reload();
        return;
      } catch (error) {
        if (!(error instanceof StoreError) || error.code !== 'CheckFailed') throw error;
      }
    }
  }

  /** Returns a new data key for the row. */
  async newDataKey(): Promise<StoredDataKey> {
    const { roots, clock } = this.#options;
    const id = randomBytes((dataKeyIdLength * 3) / 4).toString('base64url');
    const wrapped = await roots.wrap(dataKeyPurpose(id), randomBytes(dataKeyBytes));
    return { id, createdAt: new Date(clock.now()).toISOString(), ...wrapped };
  }

  /**
   * Encrypts all keys with the root key that the installation uses now, creates a data key, and requests a rewrite of
   * all rows. Rejects with SealError or StoreError.
   */
  async rotate(): Promise<void> {
    const rewriteSince = new Date(this.#options.clock.now()).toISOString();
    await this.update(async (record) => {
      const next = await this.#rewrapped(record);
      const dataKeys = [...next.dataKeys, await this.newDataKey()];
      return { ...next, rows: this.rows, dataKeys, rewriteSince };
    });
  }

  /** Returns the record with all keys encrypted by the root key that the installation uses now. */
  async #rewrapped(record: KeyringRecord): Promise<KeyringRecord> {
    const { roots } = this.#options;
    const { sealingKey, hashingKey } = this.#sealerKeys;
    const sealer = await roots.wrap(sealerPurpose, Buffer.concat([sealingKey, hashingKey]));
    const dataKeys: StoredDataKey[] = [];
    for (const { id, createdAt, ...wrapped } of record.dataKeys) {
      const purpose = dataKeyPurpose(id);
      const clear = this.#keys.get(id)?.key ?? (await roots.unwrap(purpose, wrapped));
      dataKeys.push({ id, createdAt, ...(await roots.wrap(purpose, clear)) });
    }
    return { ...record, sealer, dataKeys };
  }

  close(): void {
    this.#closing.abort();
  }

  async #read(): Promise<Entry> {
    const entry = await this.#options.store.get(keyringKey);
    if (entry === undefined) throw new StoreError('Damaged', 'the row installation/keyring was removed');
    return entry;
  }

  async #reload(): Promise<void> {
    const { log } = this.#options;
    try {
      const record = decodeKeyring((await this.#read()).value);
      // The record is kept even if one of its keys cannot be decrypted yet, because it also contains the request for a
      // rewrite.
      this.#record = record;
      await this.#learn(record);
      this.#problem = undefined;
    } catch (error) {
      if (isStoreClosed(error)) return;
      const problem = error instanceof Error ? error.message : String(error);
      if (this.#problem !== problem) log.error({ error }, `cannot decrypt the keys of the store: ${problem}`);
      this.#problem = problem;
      void this.#retry();
    }
    for (const listener of this.#listeners) listener();
  }

  /**
   * Reads the row repeatedly until all its keys are decrypted. Without this, a server would stay unready after its KMS
   * has recovered from a failure.
   */
  async #retry(): Promise<void> {
    if (this.#isRetrying) return;
    this.#isRetrying = true;
    const { signal } = this.#closing;
    for (let failures = 1; this.#problem !== undefined && !signal.aborted; failures++) {
      await wait(this.#options.clock, backoffDelay(failures, retryBackoff), signal);
      if (!signal.aborted) await this.reload();
    }
    this.#isRetrying = false;
  }

  async #learn({ dataKeys }: KeyringRecord): Promise<void> {
    for (const { id, ...wrapped } of dataKeys) {
      if (this.#keys.has(id)) continue;
      this.#keys.set(id, { id, key: await this.#options.roots.unwrap(dataKeyPurpose(id), wrapped) });
    }
  }
}

export function dataKeyPurpose(id: string): string {
  return `data key ${id}`;
}
