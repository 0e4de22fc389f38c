import { link, mkdtemp, open, readdir, readFile, readlink, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { LogTruncator, scanAfterBytes } from './log-truncator.ts';

const mebibyte = 1024 * 1024;

describe('LevelDB logs', () => {
  let directory: string;
  let logs: LogTruncator;
  const path = (name: string) => join(directory, name);

  beforeEach(async () => {
    directory = await mkdtemp(join(tmpdir(), 'held-logs-'));
    logs = new LogTruncator(directory);
  });

  afterEach(async () => {
    await logs.close();
    await rm(directory, { recursive: true });
  });

  /** The files of the directory that this process has open, including removed ones. */
  async function openFiles(): Promise<string[]> {
    const links = (await readdir('/proc/self/fd')).map((fd) => readlink(join('/proc/self/fd', fd)).catch(() => ''));
    const found = (await Promise.all(links)).filter((target) => target.startsWith(directory));
    return found.map((target) => target.slice(directory.length + 1)).sort();
  }

  const held = (names: string[]) => vi.waitFor(async () => expect(await openFiles()).toEqual(names));

  it('are kept open, the current one and one that waits for its table, but no other files', async () => {
    for (const name of ['000003.log', '000005.log', '000004.ldb', 'LOG', 'MANIFEST-000002']) {
      await writeFile(path(name), 'x');
    }
    logs.onWritten(1);
    await held(['000003.log', '000005.log']);
  });

  it('are scanned for after a number of written bytes', async () => {
    await writeFile(path('000003.log'), 'x');
    logs.onWritten(1);
    await held(['000003.log']);
    await writeFile(path('000005.log'), 'x');
    logs.onWritten(scanAfterBytes - 1);
    expect(await openFiles()).toEqual(['000003.log']);
    logs.onWritten(1);
    await held(['000003.log', '000005.log']);
  });

  it('are truncated step by step once they are removed, even without further writes', async () => {
    await writeFile(path('000003.log'), Buffer.alloc(5 * mebibyte));
    await writeFile(path('000005.log'), 'x');
    logs.onWritten(1);
    await held(['000003.log', '000005.log']);
    const own = await open(path('000003.log'));
    await rm(path('000003.log'));
    await vi.waitFor(async () => expect((await own.stat()).size).toBe(mebibyte));
    await own.close();
    await held(['000005.log']);
  });

  it('keep their contents while another hard link exists', async () => {
    await writeFile(path('000003.log'), Buffer.alloc(3 * mebibyte, 'x'));
    await writeFile(path('000005.log'), 'x');
    logs.onWritten(1);
    await held(['000003.log', '000005.log']);
    await link(path('000003.log'), path('kept'));
    await rm(path('000003.log'));
    await held(['000005.log']);
    expect((await readFile(path('kept'))).equals(Buffer.alloc(3 * mebibyte, 'x'))).toBe(true);
  });

  it('are closed with the store, even during a scan', async () => {
    await writeFile(path('000003.log'), 'x');
    logs.onWritten(1);
    await logs.close();
    expect(await openFiles()).toEqual([]);
    logs.onWritten(scanAfterBytes);
    expect(await openFiles()).toEqual([]);
  });

  it('may be in a directory that does not exist', async () => {
    const none = new LogTruncator(path('missing'));
    none.onWritten(1);
    await expect(none.close()).resolves.toBeUndefined();
    expect(await openFiles()).toEqual([]);
  });
});
