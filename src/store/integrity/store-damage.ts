import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { type ExpectedFile, readAhead } from '../embedded/read-ahead.ts';
import { findDroppedEnd, findLogDamage } from './log-damage.ts';
import { type Manifest, readManifest } from './manifest.ts';
import { findTableDamage } from './table-damage.ts';

/**
 * Verifies every file of a LevelDB store. Returns a description of the first problem; `undefined` if there is none.
 * LevelDB itself verifies little: it would return changed data, and treat missing data as if it had never been written.
 *
 * After a crash, damage in the last batch of the log cannot be distinguished from an unfinished write and is not found.
 * The log of a cleanly closed store ends with an empty batch, so that its last real batch is verified.
 */
export async function findStoreDamage(directory: string): Promise<string | undefined> {
  const files = await readdir(directory);
  if (!files.includes('CURRENT')) {
    const isStore = files.some((file) => /^\d+\.(ldb|sst|log)$/.test(file));
    return isStore ? 'the file CURRENT is missing' : undefined;
  }
  const name = (await readFile(join(directory, 'CURRENT'), 'latin1')).replace(/\n$/, '');
  if (!/^MANIFEST-\d+$/.test(name) || !files.includes(name)) return 'the file CURRENT does not name a manifest';
  const manifest = manifestOf(await readFile(join(directory, name)));
  if (typeof manifest === 'string') return `${name} ${manifest}`;

  const logs = files.filter((file) => /^\d+\.log$/.test(file) && Number.parseInt(file, 10) >= manifest.logNumber);
  if (manifest.logNumber > 0 && !logs.includes(fileName(manifest.logNumber, 'log'))) {
    return missing(fileName(manifest.logNumber, 'log'), name);
  }
  for (const file of logs) {
    const offset = findLogDamage(await readFile(join(directory, file)));
    if (offset !== undefined) return `${file} at byte ${offset}`;
  }
  const present = new Set(files);
  const tables: (ExpectedFile & { readonly name: string })[] = [];
  for (const [number, size] of manifest.tables) {
    const table = [fileName(number, 'ldb'), fileName(number, 'sst')].find((candidate) => present.has(candidate));
    if (table === undefined) return missing(fileName(number, 'ldb'), name);
    tables.push({ name: table, path: join(directory, table), size });
  }
  for await (const { file, bytes } of readAhead(tables)) {
    const offset = bytes.length === file.size ? findTableDamage(bytes) : Math.min(bytes.length, file.size);
    if (offset !== undefined) return `${file.name} at byte ${offset}`;
  }
  return undefined;
}

/**
 * Returns the file and the offset of a record that LevelDB will drop from the end of a log; `undefined` if there is no
 * such record.
 */
export async function findDroppedRecord(directory: string): Promise<string | undefined> {
  for (const file of (await readdir(directory)).filter((name) => /^\d+\.log$/.test(name))) {
    const offset = findDroppedEnd(await readFile(join(directory, file)));
    if (offset !== undefined) return `${file} at byte ${offset}`;
  }
  return undefined;
}

/**
 * Describes a missing file. Also names the manifest, because the manifest may be damaged instead: without its last
 * record, it lists files that were removed later.
 */
function missing(file: string, manifest: string): string {
  return `the file ${file} is missing, or ${manifest}, which lists it, is damaged`;
}

/** Parses the manifest, which has the format of a log. Returns a description of the problem if it is damaged. */
function manifestOf(bytes: Buffer): Manifest | string {
  const offset = findLogDamage(bytes);
  if (offset !== undefined) return `at byte ${offset}`;
  try {
    return readManifest(bytes);
  } catch (error) {
    return `cannot be parsed: ${error instanceof Error ? error.message : error}`;
  }
}

function fileName(number: number, extension: string): string {
  return `${String(number).padStart(6, '0')}.${extension}`;
}
