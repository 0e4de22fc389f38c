import { describe, expect, it } from 'vitest';
import { ManualClock } from '../../lib/clock.ts';
import { silentLog } from '../../lib/log.ts';
import { interruptibleStore } from '../../store/interruptible-store.fixture.ts';
import { openMemoryStore } from '../../store/memory.ts';
import type { Change } from '../../store/store.ts';
import { historyOf } from '../../store/suite/suite-store.ts';
import { SliceObjects } from '../cache/slice-objects.ts';
import type { RowSealing } from '../resource.ts';
import { storeWithSealedRows, unsealedSliceObjects } from './sealed-rows.ts';

const sealing: RowSealing = {
  seal: (purpose, clear) => `${Buffer.from(purpose).toString('hex')}|${Buffer.from(clear).toString('hex')}`,
  open(purpose, sealed) {
    const [boundTo, text = ''] = sealed.split('|');
    if (boundTo !== Buffer.from(purpose).toString('hex')) throw new Error('sealed for another key');
    return Buffer.from(text, 'hex').toString();
  },
};
const range = { slice: 'p', prefix: ['objects', 'secrets'] };
const keyOf = (name: string, resource = 'secrets') => ({ slice: 'p', segments: ['objects', resource, 'ns', name] });

function open() {
  const raw = openMemoryStore({ clock: new ManualClock() });
  return { raw, store: storeWithSealedRows(raw, range, sealing) };
}

describe('sealed rows', () => {
  it('sealed rows are plaintext through the sealing store and ciphertext in the underlying store', async () => {
    const { raw, store } = open();
    const seen: Change[] = [];
    const stop = await store.observe(range, 1, { changes: (changes) => void seen.push(...changes), ended() {} });
    await store.transact({ writes: [{ key: keyOf('a'), value: 'one' }] });
    await store.transact({ writes: [{ key: keyOf('a'), value: 'two' }] });
    await store.transact({ writes: [{ key: keyOf('a'), value: undefined }] });
    stop();
    await store.transact({ writes: [{ key: keyOf('b'), value: 'three' }] });
    expect(seen.map(({ value, previous }) => [value, previous?.value])).toEqual([
      ['one', undefined],
      ['two', 'one'],
      [undefined, 'two'],
    ]);
    const values = (changes: readonly Change[]) => changes.map(({ value, previous }) => [value, previous?.value]);
    expect(values(await historyOf(store, range, 1))).toEqual([...values(seen), ['three', undefined]]);
    expect((await store.list(range)).entries.map(({ value }) => value)).toEqual(['three']);
    expect((await store.get(keyOf('b')))?.value).toBe('three');
    const everything = JSON.stringify([
      await historyOf(raw, range, 1),
      await raw.list(range),
      await raw.get(keyOf('b')),
    ]);
    for (const clear of ['one', 'two', 'three']) expect(everything).not.toContain(`"${clear}"`);
  });

  it('other rows of the same transaction stay plaintext', async () => {
    const { raw, store } = open();
    const index = { slice: 'p', segments: ['owners', 'x'] };
    await store.transact({
      writes: [
        { key: keyOf('a', 'secretsandmore'), value: 'clear' },
        { key: index, value: 'clear', unlogged: true },
      ],
    });
    expect((await raw.get(keyOf('a', 'secretsandmore')))?.value).toBe('clear');
    expect((await store.get(index))?.value).toBe('clear');
    expect((await store.list({ slice: 'p', prefix: ['owners'] })).entries.map(({ value }) => value)).toEqual(['clear']);
  });

  it('a sealed value cannot be opened under another key', async () => {
    const { raw, store } = open();
    await store.transact({ writes: [{ key: keyOf('a'), value: 'one' }] });
    const value = (await raw.get(keyOf('a')))?.value;
    await raw.transact({ writes: [{ key: keyOf('b'), value }] });
    await expect(store.get(keyOf('b'))).rejects.toThrow('sealed for another key');
  });

  it('sealed rows are plaintext when they are read for all kinds of a plane', async () => {
    const { raw, store } = open();
    await store.transact({ writes: [{ key: keyOf('a'), value: 'one' }] });
    const replica = interruptibleStore(raw);
    const clock = new ManualClock();
    const objects = await SliceObjects.open({ store: replica.store, slice: 'p', clock, log: silentLog });
    const rows = unsealedSliceObjects(objects, sealing).rowsOf('secrets');
    expect(rows?.entries.map(({ value }) => value)).toEqual(['one']);
    const seen: (string | undefined)[] = [];
    const observation = rows?.observe({
      changes: (changes) => void seen.push(...changes.map(({ value }) => value)),
      interrupted: () => void seen.push('interrupted'),
      async missedChanges({ entries }) {
        seen.push(...entries.map(({ value }) => value));
        return [];
      },
      reloaded: () => void seen.push('reloaded'),
      ended() {},
    });
    await store.transact({ writes: [{ key: keyOf('a'), value: 'two' }] });
    replica.interrupt();
    await observation?.recovery;
    expect(seen).toEqual(['two', 'interrupted', 'two', 'reloaded']);
    objects.close();
  });
});
