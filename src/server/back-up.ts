import { createHash, randomBytes } from 'node:crypto';
import { type FileHandle, link, open, rename, rm } from 'node:fs/promises';
import { dirname, resolve } from 'node:path';
import { linesOf } from '../lib/lines.ts';
import { errorCode, privateMode, syncDirectory } from '../lib/private-file.ts';
import { describe, exists } from '../process/private-dir.ts';
import { StartError } from '../process/start-error.ts';
import { backupLines } from '../store/backup.ts';
import { askServer } from './ask-server.ts';
import { dataDirAt } from './data-dir.ts';
import { defaultDataDir } from './flags.ts';
import { readAdminAccess } from './kubeconfig.ts';
import { openUnheldStore } from './unheld-store.ts';

/** `flotilla backup`: a new file with everything in the store. Returns what to tell the user. */
export async function backUp(file: string, dataDir: string = defaultDataDir): Promise<string> {
  const target = resolve(file);
  if (await exists(target)) throw new StartError(`${target} exists already; a backup never overwrites`);
  const rows = await withLines(dataDir, (lines) => writeBackup(lines, target));
  return [
    `wrote ${target} (${rows} rows)`,
    'The seal key is not part of a backup: keep a copy of it in another place; without it the backup is of no use.',
    '',
  ].join('\n');
}

/** From the store itself if nobody holds it, otherwise from the server that does. */
async function withLines<T>(dataDir: string, use: (lines: AsyncIterable<string>) => Promise<T>): Promise<T> {
  const dir = dataDirAt(dataDir);
  const store = await openUnheldStore(dir);
  if (store !== undefined) {
    try {
      return await use(backupLines(store));
    } finally {
      await store.close();
    }
  }
  const access = await readAdminAccess(dir.adminKubeconfig);
  if (access === undefined) throw new StartError(`there is nothing to back up in ${dir.path}`);
  const question = { method: 'GET', path: '/backup', what: 'the backup' } as const;
  return await askServer(access, question, (body) => use(linesOf(body)));
}

/** Under another name first; the file is there only when it is whole. Resolves to the number of rows. */
async function writeBackup(lines: AsyncIterable<string>, target: string): Promise<number> {
  const temporary = `${target}.${randomBytes(6).toString('hex')}.part`;
  try {
    const handle = await open(temporary, 'wx', privateMode);
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
    if (errorCode(error) === 'EEXIST') throw new StartError(`${target} exists already; a backup never overwrites`);
    throw new StartError(`the backup ${target} cannot be written: ${describe(error)}`, { cause: error });
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
  if (footer?.sha256 !== hash.digest('hex')) throw new StartError('the backup was cut off before its end; try again');
  return footer.rows;
}

function footerIn(line: string | undefined): { rows: number; sha256: string } | undefined {
  try {
    return line === undefined ? undefined : (JSON.parse(line) as { rows: number; sha256: string });
  } catch {
    return undefined;
  }
}

/** A link refuses what is there in one step; file systems that have none are asked first. */
async function moveWithoutOverwriting(from: string, to: string): Promise<void> {
  try {
    await link(from, to);
  } catch (error) {
    if (errorCode(error) === 'EEXIST' || (await exists(to))) throw error;
    await rename(from, to);
  }
}
