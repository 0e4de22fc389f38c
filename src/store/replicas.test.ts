import { expect, it } from 'vitest';
import type { Key } from './key.ts';
import { twoReplicas } from './replicas.fixture.ts';
import type { Store } from './store.ts';

const key = (slice: string, name: string): Key => ({ slice, segments: ['rows', name] });
const put = (store: Store, slice: string, name: string) =>
  store.transact({ writes: [{ key: key(slice, name), value: name }] });

/** A replica that records the names of the rows that its observers have received. */
async function observedRows(store: Store) {
  const received: string[] = [];
  for (const slice of ['x', 'y']) {
    await store.observe({ slice, prefix: [] }, 1, {
      changes: (changes) => received.push(...changes.map(({ value = '' }) => value)),
      ended: () => received.push('ended'),
    });
  }
  return { store, received };
}

it('a held gate delivers changes when a call guarantees them, and rows are ahead of observers', async () => {
  const { current, delayed, gate } = await twoReplicas(observedRows);
  expect([delayed.store.isShared, current.store.identity]).toEqual([true, delayed.store.identity]);
  gate.hold();
  await put(current.store, 'x', 'a');
  await put(current.store, 'y', 'b');
  await put(current.store, 'x', 'c');
  expect(current.received).toEqual(['a', 'b', 'c']);
  expect(delayed.received).toEqual([]);
  expect((await delayed.store.get(key('x', 'a')))?.value).toBe('a');
  gate.deliver(1);
  expect(delayed.received).toEqual(['a']);
  await delayed.store.revision('x');
  expect(delayed.received).toEqual(['a', 'c']);
  await put(delayed.store, 'y', 'd');
  expect(delayed.received).toEqual(['a', 'c', 'b', 'd']);
  await put(current.store, 'x', 'e');
  expect(gate.waiting).toBe(1);
  gate.open();
  await put(current.store, 'x', 'f');
  expect(delayed.received).toEqual(['a', 'c', 'b', 'd', 'e', 'f']);
});

it('the calls of a replica that is cut off wait until it is connected again', async () => {
  const { current, delayed, gate, shared } = await twoReplicas(observedRows);
  gate.disconnect();
  let revision: number | undefined;
  const asked = Promise.resolve(delayed.store.revision('x')).then((found) => {
    revision = found;
  });
  await put(current.store, 'x', 'a');
  await shared.revision('x');
  expect([revision, delayed.received]).toEqual([undefined, []]);
  gate.reconnect();
  await asked;
  expect(revision).toBe(await shared.revision('x'));
  expect(delayed.received).toEqual(['a']);
});
