import { mkdtemp, open, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { createAppender } from './appender.ts';

let directory: string;
beforeEach(async () => {
  directory = await mkdtemp(join(tmpdir(), 'append-'));
});
afterEach(() => rm(directory, { recursive: true }));

/** Returns a file that counts its asynchronous writes. */
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

describe('an append', () => {
  it('is synchronous for fast files, and asynchronous for a minute after a very slow write', async () => {
    const { counting, handedOver, end } = await counted();
    let now = 0;
    let takes = 1;
    const append = createAppender({
      isFile: true,
      elapsed: () => {
        now += takes;
        return now;
      },
    });
    append.appendSync(counting, Buffer.from('a'));
    expect(append.mayAppendSync()).toBe(true);
    takes = 81;
    append.appendSync(counting, Buffer.from('b'));
    takes = 0;
    expect(append.mayAppendSync()).toBe(false);
    expect(handedOver()).toBe(0);
    await append.appendAsync(counting, Buffer.from('c'));
    expect(handedOver()).toBe(1);
    now += 60_000;
    expect(append.mayAppendSync()).toBe(true);
    expect(await end()).toBe('abc');
  });

  it('is never synchronous for a device or a pipe', () => {
    expect(createAppender({ isFile: false }).mayAppendSync()).toBe(false);
  });
});
