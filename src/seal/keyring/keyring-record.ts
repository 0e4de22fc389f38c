import { isJsonObject } from '@flotilla/json';
import { SealError } from '../open-sealer.ts';
import type { WrappedKey } from '../root/root-keys.ts';
import type { EncryptedRows } from '../rows/row-cipher.ts';

/** The rows that a new installation encrypts. */
export const defaultEncryptedRows: EncryptedRows = 'secrets';

/** A data key in the store. */
export interface StoredDataKey extends WrappedKey {
  readonly id: string;
  /** The time at which it was created, in RFC 3339. */
  readonly createdAt: string;
}

/**
 * The row with all keys of an installation. Root keys encrypt these keys, so the row reveals nothing without the root
 * keys.
 */
export interface KeyringRecord {
  /** The rows that are encrypted by default. */
  readonly rows: EncryptedRows;
  /** The keys of the sealer: 32 bytes for sealing and 32 bytes for hashing. */
  readonly sealer: WrappedKey;
  /**
   * All data keys. The last data key in the list encrypts new values. Data keys are never removed, because old
   * revisions may need them.
   */
  readonly dataKeys: readonly StoredDataKey[];
  /** The time at which a rewrite of all rows was requested; absent if none is requested. */
  readonly rewriteSince?: string;
  /** The time at which the last rewrite ended. */
  readonly rewrittenAt?: string;
}

const format = 1;

export function encodeKeyring(record: KeyringRecord): string {
  return JSON.stringify({ format, ...record });
}

/** Throws SealError if the row is damaged or has a newer format. */
export function decodeKeyring(text: string): KeyringRecord {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    value = undefined;
  }
  if (!isJsonObject(value) || typeof value.format !== 'number') {
    throw new SealError('the row installation/keyring of the store is damaged; restore a backup');
  }
  if (value.format > format) {
    throw new SealError(`the row installation/keyring of the store has format ${value.format}; start a newer version`);
  }
  const { format: _format, ...record } = value;
  return record as unknown as KeyringRecord;
}

/** Returns the IDs of the root keys that are needed to open the keyring. */
export function rootsOf({ sealer, dataKeys }: KeyringRecord): string[] {
  return [...new Set([sealer.root, ...dataKeys.map(({ root }) => root)])];
}
