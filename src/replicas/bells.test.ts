import { expect, it } from 'vitest';
import { ManualClock } from '../lib/clock.ts';
import { openMemoryStore } from '../store/memory.ts';
import { bellOf, listenToBells } from './bells.ts';
import { settle } from './replicas.fixture.ts';
import { shardOf } from './shards.ts';

function listen() {
  const clock = new ManualClock();
  const store = openMemoryStore({ clock });
  const heard: string[] = [];
  const stop = listenToBells({
    store,
    clock,
    onRing: (term, value) => void heard.push(`${term} ${value}`),
    onGap: () => void heard.push('gap'),
  });
  return { clock, store, heard, stop };
}

it('a listener hears each bell after it has reported the gap of its start', async () => {
  const { store, heard, stop } = listen();
  await settle();
  for (const plane of ['local', 'vc-1', 'local'])
    await store.transact({ writes: [{ key: bellOf(plane), value: 'x' }] });
  expect(heard).toEqual(['gap', `${shardOf('local')} x`, `${shardOf('vc-1')} x`, `${shardOf('local')} x`]);
  stop();
  await store.transact({ writes: [{ key: bellOf('local'), value: 'x' }] });
  expect(heard).toHaveLength(4);
});

it('a listener reports a gap after an interruption', async () => {
  const { clock, store, heard, stop } = listen();
  await settle();
  await store.transact({ writes: [{ key: bellOf('local'), value: 'x' }] });
  await store.removePrefix({ slice: 'bells', prefix: [] });
  clock.advance(1_000);
  await settle();
  expect(heard).toEqual(['gap', `${shardOf('local')} x`, 'gap']);
  stop();
});
