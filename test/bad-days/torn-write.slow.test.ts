import { cp, mkdtemp, readdir, readFile, rm, truncate, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { openEmbeddedStore } from '../../src/store/embedded/embedded.ts';
import type { Store, Write } from '../../src/store/store.ts';
import { putValue, storeKey } from '../../src/store/suite/suite-store.ts';
import { storeState, storeStateIn } from './store-state.ts';

let root: string;
beforeAll(async () => {
  root = await mkdtemp(join(tmpdir(), 'flotilla-torn-'));
});
afterAll(() => rm(root, { recursive: true }));

interface Torn {
  readonly directory: string;
  readonly log: string;
  /** The length of the log before and after the last batch, and the store's state at both times. */
  readonly lengths: readonly [before: number, after: number];
  readonly states: readonly [before: string, after: string];
}

/** A store in the state after a power failure right after this batch. */
async function stoppedAfter(name: string, last: readonly Write[]): Promise<Torn> {
  const running = join(root, `${name}-running`);
  const directory = join(root, name);
  const store: Store = await openEmbeddedStore({ directory: running });
  const log = (await readdir(running)).find((file) => file.endsWith('.log')) ?? '';
  const length = async () => (await readFile(join(running, log))).length;
  for (let n = 0; n < 5; n++) await putValue(store, storeKey('s', `${n}`), `first ${n}`);
  const before = { length: await length(), state: await storeState(store) };
  await store.transact({ writes: last });
  const after = { length: await length(), state: await storeState(store) };
  await cp(running, directory, { recursive: true });
  await store.close();
  return { directory, log, lengths: [before.length, after.length], states: [before.state, after.state] };
}

/** Returns the state of the store if only the first `length` bytes of its log have reached the disk. */
async function cutAt(torn: Torn, length: number): Promise<string> {
  const directory = `${torn.directory}-cut`;
  await cp(torn.directory, directory, { recursive: true });
  await truncate(join(directory, torn.log), length);
  try {
    return await storeStateIn(directory);
  } finally {
    await rm(directory, { recursive: true });
  }
}

describe('a store with a torn last write', () => {
  it('opens with the state before that write for a cut at any byte, and with the state after it only if it is complete', async () => {
    const writes = ['new', '1', '2'].map((name) => ({ key: storeKey('s', name), value: `last ${name}` }));
    const torn = await stoppedAfter('small', [
      ...writes,
      { key: storeKey('s', '3'), value: undefined },
      { key: storeKey('s', 'index'), value: 'q', unlogged: true },
    ]);
    const [before, after] = torn.lengths;
    expect(after - before).toBeGreaterThan(200);
    expect(torn.states[0]).not.toBe(torn.states[1]);
    for (let length = before; length < after; length++) {
      expect(await cutAt(torn, length), `cut at ${length} of ${before} to ${after}`).toBe(torn.states[0]);
    }
    expect(await cutAt(torn, after)).toBe(torn.states[1]);
  });

  it('does the same for a write over many log blocks, wherever it was cut and whatever fills the gap', async () => {
    const torn = await stoppedAfter('large', [
      { key: storeKey('s', '1'), value: 'large '.repeat(40_000) },
      { key: storeKey('s', 'new'), value: 'new' },
    ]);
    const [before, after] = torn.lengths;
    for (let length = before; length < after; length += 4_999) {
      expect(await cutAt(torn, length), `cut at ${length}`).toBe(torn.states[0]);
    }
    const whole = await readFile(join(torn.directory, torn.log));
    for (let hole = before; hole + 4_096 < after; hole += 32_749) {
      const directory = `${torn.directory}-hole`;
      await cp(torn.directory, directory, { recursive: true });
      await writeFile(join(directory, torn.log), Buffer.from(whole).fill(0, hole, hole + 4_096));
      expect(await storeStateIn(directory), `zeros at ${hole}`).toBe(torn.states[0]);
      await rm(directory, { recursive: true });
    }
  });
});
