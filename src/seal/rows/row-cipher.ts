import { createCipheriv, createDecipheriv, createSecretKey, hkdfSync, type KeyObject, randomBytes } from 'node:crypto';
import type { Key } from '../../store/key.ts';
import { sealedHeaderLength, sealedMarker } from '../../store/sealed-text.ts';
import { containsSealedText, SealError } from '../open-sealer.ts';

/** A key that encrypts rows. Its ID has 8 characters. */
export interface DataKey {
  readonly id: string;
  readonly key: Uint8Array;
}

/** The rows that are encrypted: all rows, or only those that contain sealed secrets. */
export type EncryptedRows = 'all' | 'secrets';

/** The data keys that this process knows. */
export interface DataKeys {
  /** The key for new values; `undefined` if values are written in clear. */
  readonly current: DataKey | undefined;
  /** Which rows are encrypted, if there is a current key. */
  readonly rows: EncryptedRows;
  find(id: string): DataKey | undefined;
}

/** Thrown if a value was encrypted with a data key that this process does not know yet. */
export class UnknownDataKeyError extends SealError {
  readonly id: string;

  constructor(id: string) {
    super(`a row is encrypted with the data key ${id}, which is not known`);
    this.id = id;
  }
}

export const dataKeyIdLength = 8;
/** 15 bytes are 20 characters of base64 without padding. */
const saltBytes = 15;
const counterBytes = 6;
const counterTextLength = 8;
const tagBytes = 16;
const nonceBytes = 12;
const headerEnd = sealedMarker.length + sealedHeaderLength;

const cipherOptions = { authTagLength: tagBytes };

/*
 * Memory for one value at a time. Most values are small, and allocations would take longer than the conversions. The cipher
 * copies its input before it returns, and nothing else runs meanwhile.
 */
const scratch = Buffer.allocUnsafeSlow(64 * 1024);
const maxBytesPerCharacter = 3;

/** The maximum number of derived keys in memory. Each start of a server derives a new key. */
const maxDerivedKeys = 1000;
/** The limits for the decrypted values that are kept in memory until observers have received them. */
const maxRecentCharacters = 4 * 1024 * 1024;
const maxRecentLength = 64 * 1024;

/** The key with which this process writes, derived from a data key and a random salt. */
interface WriterKey {
  readonly id: string;
  readonly header: string;
  readonly key: KeyObject;
}

interface RecentValue {
  readonly row: string;
  readonly stored: string;
  readonly clear: string;
}

/**
 * Encrypts the values of rows with AES-256-GCM. An encrypted value consists of the marker, the ID of the data key, a
 * salt, and then a counter, the ciphertext and the tag in base64. Every process derives its own key from the data key
 * and a random salt. The counter alone therefore makes its nonces unique, and no random bytes are needed per value. The
 * store key of the row is authenticated, so a value cannot be moved to another row.
 */
export class RowCipher {
  readonly #keys: DataKeys;
  readonly #derived = new Map<string, KeyObject>();
  readonly #nonce = Buffer.alloc(nonceBytes);
  #writer: WriterKey | undefined;
  #counter = 0;
  /**
   * The newest values that this process has encrypted, by their counters. Observers get these values without
   * decryption.
   */
  readonly #recent = new Map<string, RecentValue>();
  #recentCharacters = 0;

  constructor(keys: DataKeys) {
    this.#keys = keys;
  }

  /** Returns the text to store for a value. A value that looks like an encrypted value is always encrypted. */
  seal(key: Key, clear: string): string {
    const current = this.#keys.current;
    if (current !== undefined && this.#encrypts(clear)) {
      return this.#seal(this.#writerOf(current), rowText(key), clear);
    }
    if (!clear.startsWith(sealedMarker)) return clear;
    throw new SealError('a value that looks like an encrypted one cannot be stored without encryption');
  }

  #seal({ header, key }: WriterKey, row: string, clear: string): string {
    const counter = ++this.#counter;
    const nonce = this.#nonce;
    nonce.writeUIntBE(counter, nonceBytes - counterBytes, counterBytes);
    const cipher = createCipheriv('aes-256-gcm', key, nonce, cipherOptions);
    cipher.setAAD(Buffer.from(row));
    const body = cipher.update(encoded(clear));
    cipher.final();
    const end = counterBytes + body.length;
    const bytes = scratchFor(end + tagBytes);
    nonce.copy(bytes, 0, nonceBytes - counterBytes);
    body.copy(bytes, counterBytes);
    cipher.getAuthTag().copy(bytes, end);
    const stored = header + bytes.toString('base64', 0, end + tagBytes);
    this.#remember({ row, stored, clear });
    return stored;
  }

  /** Returns the value of a stored text. Throws UnknownDataKeyError, or SealError if the text was modified or moved. */
  open(key: Key, stored: string): string {
    const id = dataKeyIdOf(stored);
    if (id === undefined) return stored;
    const row = rowText(key);
    const recent = this.#recent.get(counterOf(stored));
    if (recent?.stored === stored && recent.row === row) return recent.clear;
    const bytes = Buffer.from(stored.slice(headerEnd), 'base64');
    const end = bytes.length - tagBytes;
    if (end < counterBytes) throw new SealError('an encrypted row is damaged');
    const nonce = Buffer.alloc(nonceBytes);
    bytes.copy(nonce, nonceBytes - counterBytes, 0, counterBytes);
    const derived = this.#keyOf(id, stored.slice(0, headerEnd));
    const decipher = createDecipheriv('aes-256-gcm', derived, nonce, cipherOptions);
    decipher.setAAD(Buffer.from(row));
    decipher.setAuthTag(bytes.subarray(end));
    try {
      const clear = decipher.update(bytes.subarray(counterBytes, end));
      decipher.final();
      return clear.toString('utf8');
    } catch {
      throw new SealError('an encrypted row cannot be decrypted: it was modified, or moved from another row');
    }
  }

  /** True if `open` does not throw UnknownDataKeyError. */
  knows(stored: string): boolean {
    const id = dataKeyIdOf(stored);
    return id === undefined || this.#keys.find(id) !== undefined;
  }

  /** True if the text differs in its form from what `seal` would store now. */
  isStale(stored: string): boolean {
    const id = dataKeyIdOf(stored);
    return id !== this.#keys.current?.id && (id !== undefined || this.#encrypts(stored));
  }

  #encrypts(clear: string): boolean {
    return this.#keys.rows === 'all' || clear.startsWith(sealedMarker) || containsSealedText(clear);
  }

  #writerOf({ id, key }: DataKey): WriterKey {
    if (this.#writer?.id === id) return this.#writer;
    const salt = randomBytes(saltBytes);
    this.#writer = { id, header: sealedMarker + id + salt.toString('base64'), key: derive(key, salt) };
    return this.#writer;
  }

  #keyOf(id: string, header: string): KeyObject {
    const known = this.#derived.get(header);
    if (known !== undefined) return known;
    const dataKey = this.#keys.find(id);
    if (dataKey === undefined) throw new UnknownDataKeyError(id);
    const key = derive(dataKey.key, Buffer.from(header.slice(sealedMarker.length + dataKeyIdLength), 'base64'));
    if (this.#derived.size >= maxDerivedKeys) this.#derived.clear();
    this.#derived.set(header, key);
    return key;
  }

  #remember(value: RecentValue): void {
    if (value.clear.length > maxRecentLength) return;
    this.#recent.set(counterOf(value.stored), value);
    this.#recentCharacters += value.clear.length;
    for (const [counter, oldest] of this.#recent) {
      if (this.#recentCharacters <= maxRecentCharacters) return;
      this.#recent.delete(counter);
      this.#recentCharacters -= oldest.clear.length;
    }
  }
}

function counterOf(stored: string): string {
  return stored.slice(headerEnd, headerEnd + counterTextLength);
}

function scratchFor(size: number): Buffer {
  return size <= scratch.length ? scratch : Buffer.allocUnsafeSlow(size);
}

/** Returns a text as UTF-8, in a buffer that the next call may overwrite. */
function encoded(text: string): Uint8Array {
  if (text.length * maxBytesPerCharacter > scratch.length) return Buffer.from(text);
  return scratch.subarray(0, scratch.write(text));
}

/** Returns the ID of the data key of an encrypted value; `undefined` for a value in clear. */
export function dataKeyIdOf(stored: string): string | undefined {
  if (!stored.startsWith(sealedMarker)) return undefined;
  return stored.slice(sealedMarker.length, sealedMarker.length + dataKeyIdLength);
}

function derive(key: Uint8Array, salt: Uint8Array): KeyObject {
  return createSecretKey(new Uint8Array(hkdfSync('sha256', key, salt, 'flotilla rows 1', 32)));
}

/** Returns the text that binds a value to its row. Segments contain no NUL, so the text is unique per key. */
function rowText({ slice, segments }: Key): string {
  return `row\0${slice}\0${segments.join('\0')}`;
}
