import { createHash, randomBytes } from 'node:crypto';
import { type FileHandle, link, open, rename, rm } from 'node:fs/promises';
import { dirname, resolve } from 'node:path';
import { errorCode, privateFileMode, syncDirectory } from '../../lib/private-file.ts';
import { readLines } from '../../lib/read-lines.ts';
import { describeError, fileExists } from '../../process/private-dir.ts';
import { StartError } from '../../process/start-error.ts';
import { backupLines, withSealedKeys } from '../../store/backup.ts';
import type { Store } from '../../store/store.ts';
import { sendAdminRequest } from '../admin-request.ts';
import { readAdminAccess } from '../kubeconfig.ts';
import { missingKeyFiles, readKeyFiles, readPassphrase, sealKeyFiles } from '../recovery/sealed-keys.ts';
import { defaultDataDir } from '../settings/flags.ts';
import type { EtcdStoreSettings } from '../settings/store-settings.ts';
import { dataDirAt } from './data-dir.ts';
import { openExistingEtcdStore } from './open-existing-etcd-store.ts';
import { openStoreIfUnused } from './open-store-if-unused.ts';

export interface BackupOptions {
  /** The store on etcd to back up. Optional; defaults to the store of the data directory. */
  readonly etcd?: EtcdStoreSettings | undefined;
  /**
   * The file with the passphrase that encrypts the keys of the data directory in the backup. Optional; by default, the
   * backup does not include the keys.
   */
  readonly passphraseFile?: string | undefined;
}

/**
 * Runs `flotilla backup`: writes the whole store to a new file. Returns the message to print. With `etcd`, reads the
 * store on etcd. Otherwise reads the store of the data directory, through the server if one uses it.
 */
export async function runBackup(
  file: string,
  dataDir: string = defaultDataDir,
  { etcd, passphraseFile }: BackupOptions = {},
): Promise<string> {
  const target = resolve(file);
  if (await fileExists(target)) throw new StartError(`${target} already exists; choose another file name`);
  const keys = passphraseFile === undefined ? undefined : await readKeyFiles(dataDirAt(dataDir));
  const sealed = keys && passphraseFile && (await sealKeyFiles(keys, await readPassphrase(passphraseFile)));
  const write = (lines: AsyncIterable<string>) =>
    writeBackup(sealed === undefined ? lines : withSealedKeys(lines, sealed), target);
  const rows =
    etcd === undefined ? await withLines(dataDir, write) : await withLinesOf(await openExistingEtcdStore(etcd), write);
  return [
    `wrote ${target} (${rows} rows)`,
    ...(keys === undefined
      ? ['The backup does not contain the seal key. Keep a copy of the seal key elsewhere; a restore requires it.']
      : ['It contains the keys of the installation, encrypted with the passphrase.', ...missingKeyFiles(keys)]),
    '',
  ].join('\n');
}

/**
 * Calls `use` with the lines of a backup. Reads them from the store if no server uses it, otherwise from the server.
 */
async function withLines<T>(dataDir: string, use: (lines: AsyncIterable<string>) => Promise<T>): Promise<T> {
  const dir = dataDirAt(dataDir);
  const store = await openStoreIfUnused(dir);
  if (store !== undefined) return await withLinesOf(store, use);
  const access = await readAdminAccess(dir.adminKubeconfig);
  if (access === undefined)
    throw new StartError(
      `nothing to back up in ${dir.path}: no store and no admin.kubeconfig; for a store on etcd set --store`,
    );
  const adminRequest = { method: 'GET', path: '/backup', description: 'the backup' } as const;
  return await sendAdminRequest(access, adminRequest, (body) => use(readLines(body)));
}

async function withLinesOf<T>(store: Store, use: (lines: AsyncIterable<string>) => Promise<T>): Promise<T> {
  try {
    return await use(backupLines(store));
  } finally {
    await store.close();
  }
}

/**
 * Writes the lines to a temporary file and then renames it, so the target is always complete. Returns the number of
 * rows.
 */
async function writeBackup(lines: AsyncIterable<string>, target: string): Promise<number> {
  const temporary = `${target}.${randomBytes(6).toString('hex')}.part`;
  try {
    const handle = await open(temporary, 'wx', privateFileMode);
    try {
      const rows = await copyAndCheck(lines, handle);
      await handle.sync();
      await moveWithoutOverwriting(temporary, target);
      await syncDirectory(dirname(target));
      return rows;
    } finally {
      await handle.close();
      await rm(temporary, { force: true });
    }
  } catch (error) {
    if (errorCode(error) === undefined) throw error;
    if (errorCode(error) === 'EEXIST') throw new StartError(`${target} already exists; choose another file name`);
    throw new StartError(`cannot write the backup ${target}: ${describeError(error)}`, { cause: error });
  }
}

const chunkLength = 64 * 1024;

async function copyAndCheck(lines: AsyncIterable<string>, handle: FileHandle): Promise<number> {
  const hash = createHash('sha256');
  let chunk = '';
  let last: string | undefined;
  for await (const line of lines) {
    if (last !== undefined) hash.update(`${last}\n`);
    last = line;
    chunk += `${line}\n`;
    if (chunk.length >= chunkLength) {
      await handle.write(chunk);
      chunk = '';
    }
  }
  await handle.write(chunk);
  const footer = footerIn(last);
  if (footer?.sha256 !== hash.digest('hex'))
    throw new StartError('the backup is incomplete because the connection broke; try again');
  return footer.rows;
}

function footerIn(line: string | undefined): { rows: number; sha256: string } | undefined {
  try {
    return line === undefined ? undefined : (JSON.parse(line) as { rows: number; sha256: string });
  } catch {
    return undefined;
  }
}

/**
 * Moves a file with a hard link, which fails atomically if the target exists. On a file system without hard links,
 * checks for the target first.
 */
async function moveWithoutOverwriting(from: string, to: string): Promise<void> {
  try {
    await link(from, to);
  } catch (error) {
    if (errorCode(error) === 'EEXIST' || (await fileExists(to))) throw error;
    await rename(from, to);
  }
}
