import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { ManualClock } from '../../lib/clock.ts';
import { silentLog } from '../../lib/log.ts';
import { interruptibleStore } from '../../store/interruptible-store.fixture.ts';
import { openMemoryStore } from '../../store/memory.ts';
import type { Store } from '../../store/store.ts';
import type { KindChange, KindStore } from '../kind-store.ts';
import {
  callerContext,
  describeEvent,
  newWidget,
  openWidgets,
  rejectionStatus,
  takeEvents,
  testDeleteOptions,
  testGetOptions,
  testListOptions,
  testPatchOptions,
  testSlice,
  testWatchOptions,
  testWriteOptions,
} from '../widgets.fixture.ts';
import { SliceObjects } from './slice-objects.ts';

const gadget = { kind: 'Gadget', plural: 'gadgets', singular: 'gadget' };
const claims = {
  claims: ({ object }: { object: { spec?: unknown } }) => [
    String((object.spec as { color?: string } | undefined)?.color),
  ],
};

/** The way in which a test opens two kinds. `later`: the second kind is opened after the shared rows were released. */
type Opening = 'separately' | 'together' | 'later';

async function openKinds(store: Store, opening: Opening = 'together') {
  const clock = new ManualClock();
  const shared =
    opening === 'separately' ? undefined : await SliceObjects.open({ store, slice: testSlice, clock, log: silentLog });
  const options = { store, clock, shared };
  const widgets = await openWidgets({}, options);
  if (opening === 'later') shared?.release();
  const gadgets = await openWidgets({ ...gadget, ...claims }, options);
  return { kinds: [widgets.kind, gadgets.kind] as const, clock };
}

type Kinds = Awaited<ReturnType<typeof openKinds>>['kinds'];

interface Write {
  readonly kind: number;
  readonly name: string;
  readonly operation: 'write' | 'delete' | 'replace';
}

const writeArbitrary: fc.Arbitrary<Write> = fc.record({
  kind: fc.nat(1),
  name: fc.constantFrom('x', 'y', 'z'),
  operation: fc.constantFrom('write', 'write', 'delete', 'replace'),
});

let written = 0;

async function run(kinds: Kinds, { kind: index, name, operation }: Write): Promise<void> {
  const kind = kinds[index === 0 ? 0 : 1];
  const exists = kind.peek('a', name) !== undefined;
  if (exists && operation !== 'write') await kind.verbs.delete(callerContext(), name, testDeleteOptions());
  if (operation === 'delete') return;
  const spec = { color: `color-${++written}` };
  if (exists && operation === 'write') {
    const patch = { type: 'merge', document: { spec }, findings: [] } as const;
    await kind.verbs.patch(callerContext(), name, patch, testPatchOptions);
  } else {
    const { kind: sentKind } = kind.resource;
    await kind.verbs.create(callerContext(), { ...newWidget(name, { spec }), kind: sentKind }, testWriteOptions);
  }
}

async function stateOf(kind: KindStore) {
  const { items, resourceVersion } = await kind.verbs.list(callerContext(), testListOptions());
  const objects = items.map(({ object }) => object);
  const holders = objects.map(({ spec }) => kind.byClaim((spec as { color: string }).color)?.object.metadata.name);
  return { objects, resourceVersion, count: kind.count(), bytes: kind.objectBytes(), holders };
}

/** Rebuilds the state of a kind from its changes, and records the changes. */
function follow(kinds: Kinds) {
  const states = kinds.map(
    (kind) => new Map(kind.peekAll().map((served) => [served.object.metadata.name, served.object])),
  );
  const changes: KindChange[] = [];
  let reloads = 0;
  for (const [index, kind] of kinds.entries()) {
    kind.listen(
      (change) => {
        changes.push(change);
        const { name } = (change.after ?? change.before)?.object.metadata ?? {};
        const held = states[index]?.get(name);
        expect(change.before?.object).toEqual(held);
        const isReplaced =
          held !== undefined && held.metadata.uid !== (change.after ?? change.before)?.object.metadata.uid;
        expect(isReplaced).toBe(false);
        if (change.after === undefined) states[index]?.delete(name);
        else states[index]?.set(name, change.after.object);
      },
      () => reloads++,
    );
  }
  const objects = () => states.map((state) => [...state.keys()].sort().map((name) => state.get(name)));
  return { objects, changes, reloads: () => reloads };
}

describe('a cache whose changes were lost', () => {
  it('has the same state as a new one, whatever was lost', async () => {
    const property = async (before: Write[], lost: Write[], after: Write[], opening: Opening) => {
      const memory = openMemoryStore();
      const { kinds: others } = await openKinds(memory);
      const replica = interruptibleStore(memory);
      const { kinds } = await openKinds(replica.store, opening);
      const followed = follow(kinds);
      const watches = await Promise.all(kinds.map((kind) => kind.verbs.watch(callerContext(), testWatchOptions())));
      for (const write of before) await run(others, write);
      const received = followed.changes.length;
      replica.hold();
      for (const write of lost) await run(others, write);
      replica.interrupt();
      const fresh = (await openKinds(memory)).kinds;
      for (const [index, kind] of kinds.entries()) {
        expect(await stateOf(kind)).toEqual(await stateOf(fresh[index] as KindStore));
        const events = await takeEvents(watches[index] as (typeof watches)[number], 1_000);
        expect(events.at(-1)).toMatchObject({ type: 'ERROR', status: { code: 410, reason: 'Expired' } });
      }
      expect(followed.reloads()).toBe(2);
      if (opening !== 'separately') expectOrder(followed.changes.slice(received));
      for (const write of after) await run(others, write);
      for (const [index, kind] of kinds.entries()) {
        expect(await stateOf(kind)).toEqual(await stateOf(others[index] as KindStore));
        expect(followed.objects()[index]).toEqual((await stateOf(kind)).objects);
      }
    };
    const writes = fc.array(writeArbitrary, { maxLength: 8 });
    const openings = fc.constantFrom<Opening>('separately', 'together', 'later');
    await fc.assert(fc.asyncProperty(writes, writes, writes, openings, property), { numRuns: 60 });
  });

  it('delivers the differences in the order of revisions, removals last', async () => {
    const memory = openMemoryStore();
    const { kinds: others } = await openKinds(memory);
    for (const name of ['x', 'y']) await run(others, { kind: 1, name, operation: 'write' });
    const replica = interruptibleStore(memory);
    const { kinds } = await openKinds(replica.store);
    const { changes } = follow(kinds);
    replica.hold();
    for (const [kind, name, operation] of [
      [1, 'x', 'delete'],
      [1, 'z', 'write'],
      [0, 'a', 'write'],
      [1, 'y', 'replace'],
      [0, 'b', 'write'],
      [1, 'z', 'write'],
    ] as const)
      await run(others, { kind, name, operation });
    replica.interrupt();
    await kinds[0].verbs.list(callerContext(), testListOptions());
    const described = changes.map(({ before, after, revision }) => {
      const { kind, metadata } = (after ?? before)?.object ?? { kind: '', metadata: {} };
      return `${after === undefined ? 'removed' : 'written'} ${kind} ${metadata.name}@${revision}`;
    });
    expect(described).toEqual([
      'written Widget a@6',
      'removed Gadget y@8',
      'written Gadget y@8',
      'written Widget b@9',
      'written Gadget z@10',
      'removed Gadget x@10',
    ]);
  });

  it('has the current objects of all kinds before it notifies the first listener', async () => {
    const memory = openMemoryStore();
    const { kinds: others } = await openKinds(memory);
    await run(others, { kind: 0, name: 'x', operation: 'write' });
    const replica = interruptibleStore(memory);
    const { kinds } = await openKinds(replica.store);
    const current = () => kinds.map((kind) => kind.peekAll().map(({ object }) => object));
    const seen: unknown[] = [];
    for (const kind of kinds) kind.listen(() => seen.push(current()));
    replica.hold();
    await run(others, { kind: 1, name: 'y', operation: 'write' });
    await run(others, { kind: 0, name: 'x', operation: 'replace' });
    await run(others, { kind: 1, name: 'y', operation: 'write' });
    replica.interrupt();
    await kinds[0].verbs.list(callerContext(), testListOptions());
    const expected = others.map((kind) => kind.peekAll().map(({ object }) => object));
    expect(seen).toEqual([expected, expected, expected]);
  });

  it.each([
    [1, ['ADDED y@3', 'MODIFIED y@4', 'ADDED z@5']],
    [4, ['ERROR 410 too old resource version: 2 (4)']],
  ])('serves watches from a revision before the loss, if the history is not compacted: %d', async (upTo, events) => {
    const memory = openMemoryStore();
    const { kinds: others } = await openKinds(memory);
    const replica = interruptibleStore(memory);
    const { kinds } = await openKinds(replica.store);
    await run(others, { kind: 0, name: 'x', operation: 'write' });
    replica.hold();
    await run(others, { kind: 0, name: 'y', operation: 'write' });
    await run(others, { kind: 0, name: 'y', operation: 'write' });
    await memory.compact(testSlice, upTo);
    replica.interrupt();
    const resumed = await kinds[0].verbs.watch(callerContext(), testWatchOptions({ resourceVersion: '2' }));
    await run(others, { kind: 0, name: 'z', operation: 'write' });
    expect((await takeEvents(resumed, 3)).map(describeEvent)).toEqual(events);
  });

  it('is read again after each further loss', async () => {
    const memory = openMemoryStore();
    const { kinds: others } = await openKinds(memory);
    const replica = interruptibleStore(memory);
    const { kinds } = await openKinds(replica.store);
    for (const name of ['x', 'y', 'z']) {
      replica.hold();
      await run(others, { kind: 0, name, operation: 'write' });
      replica.interrupt();
      replica.interrupt();
      await Promise.resolve();
      replica.interrupt();
    }
    expect(await stateOf(kinds[0])).toEqual(await stateOf(others[0]));
  });

  it('refuses reads while the store is unavailable, and repeats the reload with increasing delays', async () => {
    const memory = openMemoryStore();
    const { kinds: others } = await openKinds(memory);
    const replica = interruptibleStore(memory);
    const { kinds, clock } = await openKinds(replica.store);
    replica.hold();
    await run(others, { kind: 0, name: 'x', operation: 'write' });
    replica.failLists(3);
    replica.interrupt();
    const read = () => kinds[0].verbs.get(callerContext(), 'x', testGetOptions);
    for (const delay of [100, 200, 400]) {
      expect(await rejectionStatus(read())).toMatchObject({
        code: 503,
        message: expect.stringContaining('cannot be reached'),
      });
      await new Promise(setImmediate);
      clock.advance(delay / 2 - 1);
      expect(await rejectionStatus(read())).toMatchObject({ code: 503 });
      clock.advance(delay / 2 + 1);
      await Promise.resolve();
    }
    expect((await read()).object.metadata.name).toBe('x');
  });

  it('delivers all differences even if a listener throws an exception', async () => {
    const memory = openMemoryStore();
    const { kinds: others } = await openKinds(memory);
    const replica = interruptibleStore(memory);
    const { kinds, clock } = await openKinds(replica.store);
    const seen: string[] = [];
    kinds[0].listen(({ after }) => {
      const { name = '' } = after?.object.metadata ?? {};
      if (name === 'x') throw new Error('broken');
      seen.push(name);
    });
    replica.hold();
    for (const name of ['x', 'y', 'z']) await run(others, { kind: 0, name, operation: 'write' });
    replica.interrupt();
    await expect(kinds[0].verbs.list(callerContext(), testListOptions())).rejects.toThrow('broken');
    expect(seen).toEqual(['y', 'z']);
    await new Promise(setImmediate);
    clock.advance(100);
    await Promise.resolve();
    expect(await stateOf(kinds[0])).toEqual(await stateOf(others[0]));
    expect(seen).toEqual(['y', 'z']);
  });

  it('refuses reads after it was closed during the reload, or its slice was removed', async () => {
    const memory = openMemoryStore();
    const replica = interruptibleStore(memory);
    const { kinds } = await openKinds(replica.store, 'separately');
    const watch = await kinds[0].verbs.watch(callerContext(), testWatchOptions({ resourceVersion: '1' }));
    replica.interrupt();
    kinds[1].close();
    expect(await rejectionStatus(kinds[1].verbs.list(callerContext(), testListOptions()))).toMatchObject({
      code: 503,
      message: 'the control plane is being reloaded; try again',
    });
    expect((await takeEvents(watch, 5)).map(describeEvent)).toEqual([expect.stringContaining('ERROR 410')]);
    const { items } = await kinds[0].verbs.list(callerContext(), testListOptions());
    expect(items).toEqual([]);
    const open = await kinds[0].verbs.watch(callerContext(), testWatchOptions({ resourceVersion: '1' }));
    await memory.removePrefix({ slice: testSlice, prefix: [] });
    expect(await takeEvents(open, 1)).toEqual([]);
    expect(await rejectionStatus(kinds[0].verbs.list(callerContext(), testListOptions()))).toMatchObject({ code: 503 });
  });
});

/**
 * Expects the changes of a reload in the order of revisions, removals last. A replaced object counts as a removal and a
 * write.
 */
function expectOrder(changes: readonly KindChange[]): void {
  const isReplacement = (index: number) =>
    changes[index]?.after === undefined &&
    changes[index + 1]?.revision === changes[index]?.revision &&
    changes[index + 1]?.after !== undefined;
  const writes = changes.filter(({ after }) => after !== undefined).map(({ revision }) => revision);
  expect(writes).toEqual([...writes].sort((a, b) => a - b));
  const firstRemoval = changes.findIndex(({ after }, index) => after === undefined && !isReplacement(index));
  if (firstRemoval >= 0) expect(changes.slice(firstRemoval).every(({ after }) => after === undefined)).toBe(true);
}
