import { createReadStream } from 'node:fs';
import { resolve } from 'node:path';
import { describeError } from '../../process/private-dir.ts';
import { StartError } from '../../process/start-error.ts';
import { parseRecord } from '../../registry/rows/record.ts';
import { keyringKey } from '../../seal/keyring/keyring.ts';
import { decodeKeyring, rootsOf } from '../../seal/keyring/keyring-record.ts';
import { sealKeyId } from '../../seal/root/key-file-root-keys.ts';
import { kmsKeyPrefix } from '../../seal/root/root-keys.ts';
import { parseSealKeys } from '../../seal/seal-key-file.ts';
import { BackupError, readBackup } from '../../store/backup.ts';
import { encodeKey } from '../../store/key.ts';
import { sealedMarker } from '../../store/sealed-text.ts';
import type { DumpEntry, DumpRow } from '../../store/store.ts';
import { readNamedSealKeys } from '../encryption/check-restored-keys.ts';
import { missingKeyFiles, openKeyFiles, readPassphrase } from '../recovery/sealed-keys.ts';

export interface VerifyOptions {
  readonly passphraseFile?: string | undefined;
  readonly sealKeyFile?: string | undefined;
}

/** `flotilla backup verify`: reads a whole backup. Returns the message to print. Throws StartError if it is damaged. */
export async function runVerifyBackup(file: string, options: VerifyOptions = {}): Promise<string> {
  const path = resolve(file);
  const summary = new BackupSummary();
  const position = { line: 0, offset: 0 };
  try {
    for await (const row of readBackup(linesOf(path, position))) summary.add(row);
  } catch (error) {
    if (!(error instanceof BackupError)) throw error;
    const line = error.message.startsWith('line ') ? 'it' : `line ${position.line}, which`;
    const place = position.line === 0 ? '' : ` (${line} starts at byte ${position.offset})`;
    throw new StartError(`${path}: ${error.message}${place}`, { cause: error });
  }
  return `${[`${path} is complete and intact`, ...summary.lines(), ...(await keyLines(summary, options))].join('\n')}\n`;
}

/**
 * The maximum length of a line. Rows are shorter: an object has at most 3 MiB, plus the overhead of encryption and
 * JSON.
 */
const longestLine = 64 * 1024 * 1024;
const newline = 0x0a;

/**
 * Yields the lines of a file and keeps `position` at the current line. Reads bytes instead of text, so that a line that
 * is not valid UTF-8 can be located.
 */
async function* linesOf(path: string, position: { line: number; offset: number }): AsyncGenerator<string> {
  const decoder = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true });
  let parts: Uint8Array[] = [];
  let length = 0;
  let next = 0;
  const take = (): string => {
    position.line++;
    position.offset = next;
    next += length + 1;
    const bytes = Buffer.concat(parts);
    parts = [];
    length = 0;
    try {
      return decoder.decode(bytes);
    } catch {
      throw new BackupError(`line ${position.line} of the backup is damaged`);
    }
  };
  for await (const chunk of chunksOf(path)) {
    let start = 0;
    for (let end = chunk.indexOf(newline); end !== -1; end = chunk.indexOf(newline, start)) {
      parts.push(chunk.subarray(start, end));
      length += end - start;
      start = end + 1;
      yield take();
    }
    parts.push(chunk.subarray(start));
    length += chunk.length - start;
    if (length > longestLine) throw new BackupError(`line ${position.line + 1} is longer than any line of a backup`);
  }
  if (length > 0) {
    take();
    throw new BackupError('the backup is truncated: its last line is not complete');
  }
}

async function* chunksOf(path: string): AsyncGenerator<Buffer> {
  try {
    yield* createReadStream(path);
  } catch (error) {
    throw new StartError(`cannot read the backup ${path}: ${describeError(error)}`, { cause: error });
  }
}

/** Counts the rows of a backup, and decodes them. */
class BackupSummary {
  sealedKeys: string | undefined;
  /** The root keys that are needed to read encrypted values; none if the store has no keyring. */
  rootKeys: readonly string[] = [];
  #head: Extract<DumpRow, { row: 'head' }> | undefined;
  #slices = 0;
  #encrypted = 0;
  #others = 0;
  readonly #objects = new Map<string, number>();

  /** Throws BackupError if the value of a row cannot be decoded. */
  add(row: DumpRow): void {
    if (row.row === 'head') {
      this.#head = row;
      this.sealedKeys = row.sealedKeys;
    } else if (row.row === 'slice') this.#slices++;
    else this.#addEntry(row);
  }

  lines(): string[] {
    const { time, program, revision, identity, lineChecksums } = this.#head ?? {};
    const counted = [...this.#objects].sort(([a], [b]) => (a < b ? -1 : 1));
    return [
      `made at:      ${time ?? '<unknown>'}`,
      `made by:      ${program === undefined ? '<unknown>' : `version ${program}`}`,
      `store:        ${identity}, revision ${revision}`,
      `checksums:    ${lineChecksums === true ? 'of the file and of each row' : 'of the file'}`,
      `rows:         ${counted.reduce((sum, [, count]) => sum + count, this.#others)} in ${this.#slices} slices, ${this.#encrypted} of them encrypted`,
      ...counted.map(([resource, count]) => `  ${resource}: ${count}`),
      `  other rows: ${this.#others}`,
    ];
  }

  #addEntry({ key, value }: DumpEntry): void {
    const [type, resource = ''] = key.segments;
    const isObject = type === 'objects';
    if (isObject) this.#objects.set(resource, (this.#objects.get(resource) ?? 0) + 1);
    else this.#others++;
    if (value.startsWith(sealedMarker)) {
      this.#encrypted++;
      return;
    }
    const isKeyring = encodeKey(key) === encodeKey(keyringKey);
    try {
      if (isObject) parseRecord(value);
      if (isKeyring) this.rootKeys = rootsOf(decodeKeyring(value));
    } catch (error) {
      const name = [key.slice, ...key.segments].join('/');
      throw new BackupError(`the row ${name} cannot be decoded: ${describeError(error)}`);
    }
  }
}

/**
 * Returns the lines of the message about the keys of the installation. Throws StartError if the given keys do not match
 * the backup.
 */
async function keyLines(summary: BackupSummary, { passphraseFile, sealKeyFile }: VerifyOptions): Promise<string[]> {
  const { sealedKeys, rootKeys } = summary;
  const lines: string[] = [];
  if (sealedKeys === undefined) {
    if (passphraseFile !== undefined)
      throw new StartError('the backup does not include keys; leave out --passphrase-file');
    lines.push('keys:         not included; a restore needs the seal key');
  } else if (passphraseFile === undefined) {
    lines.push('keys:         included; set --passphrase-file to check that they can be decrypted');
  } else {
    const files = await openKeyFiles(sealedKeys, await readPassphrase(passphraseFile));
    lines.push('keys:         included, and the passphrase decrypts them', ...missingKeyFiles(files));
    if (files.sealKey !== undefined) {
      assertRootKeys(
        rootKeys,
        parseSealKeys(files.sealKey, 'the seal key in the backup'),
        'the seal key in the backup',
      );
    }
  }
  if (sealKeyFile !== undefined) {
    assertRootKeys(rootKeys, await readNamedSealKeys(sealKeyFile), sealKeyFile);
    lines.push(`seal key:     ${sealKeyFile} is the seal key of this backup`);
  }
  return lines;
}

function assertRootKeys(needed: readonly string[], keys: readonly Uint8Array[], from: string): void {
  const ids = new Set(keys.map(sealKeyId));
  const missing = needed.filter((id) => !id.startsWith(kmsKeyPrefix) && !ids.has(id));
  if (missing.length === 0) return;
  throw new StartError(
    `${from} is not the seal key of this backup: it needs the key ${missing.join(' and ')}, and found ${[...ids].join(', ')}`,
  );
}
