import { mkdtemp, open, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { quickAppend } from './quick-append.ts';

let directory: string;
beforeEach(async () => {
  directory = await mkdtemp(join(tmpdir(), 'append-'));
});
afterEach(() => rm(directory, { recursive: true }));

/** A file, and how often another thread was asked to write it. */
async function counted() {
  const path = join(directory, 'file');
  const file = await open(path, 'a');
  let handedOver = 0;
  const counting = {
    fd: file.fd,
    write: (...args: Parameters<typeof file.write>) => {
      handedOver++;
      return file.write(...args);
    },
  } as Pick<typeof file, 'fd' | 'write'>;
  return {
    counting,
    handedOver: () => handedOver,
    async end() {
      await file.close();
      return await readFile(path, 'utf8');
    },
  };
}

describe('a quick append', () => {
  it('writes files at once, and leaves those that were slow to another thread for a minute', async () => {
    const { counting, handedOver, end } = await counted();
    let now = 0;
    let takes = 1;
    const append = quickAppend({
      isFile: true,
      elapsed: () => {
        now += takes;
        return now;
      },
    });
    await append(counting, Buffer.from('a'));
    expect(handedOver()).toBe(0);
    takes = 21;
    await append(counting, Buffer.from('b'));
    expect(handedOver()).toBe(0);
    takes = 0;
    await append(counting, Buffer.from('c'));
    expect(handedOver()).toBe(1);
    now += 60_000;
    await append(counting, Buffer.from('d'));
    expect(handedOver()).toBe(1);
    expect(await end()).toBe('abcd');
  });

  it('never makes anybody wait for a device or a pipe', async () => {
    const { counting, handedOver, end } = await counted();
    await quickAppend({ isFile: false })(counting, Buffer.from('a'));
    expect(handedOver()).toBe(1);
    expect(await end()).toBe('a');
  });
});
