import { describe, expect, it } from 'vitest';
import { openMemoryStore } from '../../store/memory.ts';
import type { KindStore } from '../kind-store.ts';
import {
  callerContext,
  describeEvent,
  newWidget,
  openWidgets,
  rejectionStatus,
  storeWithOverrides,
  takeEvents,
  testDeleteOptions,
  testListOptions,
  testPatchOptions,
  testSlice,
  testWatchOptions,
  testWriteOptions,
} from '../widgets.fixture.ts';

const labelled = (value: string) => ({
  labelSelector: { empty: false, matches: (labels?: Readonly<Record<string, string>>) => labels?.l === value },
});

const create = (kind: KindStore, name: string, label?: string) =>
  kind.verbs.create(
    callerContext(),
    newWidget(name, { metadata: label === undefined ? {} : { labels: { l: label } } }),
    testWriteOptions,
  );

const merge = (kind: KindStore, name: string, document: object) =>
  kind.verbs.patch(
    callerContext(),
    name,
    { type: 'merge', document: JSON.parse(JSON.stringify(document)), findings: [] },
    testPatchOptions,
  );

const relabel = (kind: KindStore, name: string, l: string) => merge(kind, name, { metadata: { labels: { l } } });

async function events(
  kind: KindStore,
  change: Parameters<typeof testWatchOptions>[0],
  act: () => Promise<unknown>,
  count: number,
) {
  const stream = await kind.verbs.watch(callerContext(), testWatchOptions(change));
  await act();
  return (await takeEvents(stream, count)).map(describeEvent);
}

describe('watch', () => {
  it('a watch returns exactly the changes after a revision, in order (WATCH-05, WATCH-24, WATCH-25)', async () => {
    const { kind } = await openWidgets();
    await create(kind, 'w1');
    await create(kind, 'w2');
    await merge(kind, 'w1', { spec: { color: 'red' }, metadata: { finalizers: ['x.example/f'] } });
    const act = async () => {
      await kind.verbs.delete(callerContext(), 'w1', testDeleteOptions());
      await merge(kind, 'w1', { metadata: { finalizers: null } });
      await create(kind, 'w1');
    };
    expect(await events(kind, { resourceVersion: '2' }, act, 5)).toEqual([
      'ADDED w2@3',
      'MODIFIED w1@4',
      'MODIFIED w1@5',
      'DELETED w1@6',
      'ADDED w1@7',
    ]);
  });

  it('a watch without a revision starts with the current objects (WATCH-06)', async () => {
    const { kind } = await openWidgets();
    await create(kind, 'w2');
    await create(kind, 'w1');
    for (const resourceVersion of ['', '0']) {
      expect(
        await events(kind, { resourceVersion }, () => merge(kind, 'w1', { spec: { color: resourceVersion } }), 3),
      ).toEqual([expect.stringContaining('ADDED w1@'), 'ADDED w2@2', expect.stringContaining('MODIFIED w1@')]);
    }
  });

  it('a watch that declines initial events starts with later changes (WATCH-07)', async () => {
    const { kind } = await openWidgets();
    await create(kind, 'w1');
    const change = { sendInitialEvents: false, resourceVersionMatch: 'NotOlderThan' as const };
    expect(await events(kind, change, () => create(kind, 'w2'), 1)).toEqual(['ADDED w2@3']);
  });

  it('the end of the initial events is marked immediately, even if there are none (WATCH-08)', async () => {
    const { kind } = await openWidgets();
    const change = { sendInitialEvents: true, resourceVersionMatch: 'NotOlderThan' as const, allowBookmarks: true };
    expect(await events(kind, change, async () => {}, 1)).toEqual(['BOOKMARK end @1']);
    await create(kind, 'w1');
    expect(await events(kind, { ...change, resourceVersion: '1' }, () => create(kind, 'w2'), 3)).toEqual([
      'ADDED w1@2',
      'BOOKMARK end @2',
      'ADDED w2@3',
    ]);
  });

  it('a watch waits for a future revision and gets an ERROR event if it is not reached (WATCH-09)', async () => {
    const { kind, clock } = await openWidgets();
    const change = { sendInitialEvents: true, resourceVersionMatch: 'NotOlderThan' as const, resourceVersion: '2' };
    expect(await events(kind, change, () => create(kind, 'w1'), 1)).toEqual(['ADDED w1@2']);
    const stream = await kind.verbs.watch(callerContext(), testWatchOptions({ ...change, resourceVersion: '77' }));
    const late = takeEvents(stream, 2);
    await kind.verbs.list(callerContext(), testListOptions());
    clock.advance(3_000);
    expect((await late).map(describeEvent)).toEqual(['ERROR 504 Timeout: Too large resource version: 77, current: 2']);
  });

  it('incompatible options are rejected (WATCH-10, WATCH-11, WATCH-13, WATCH-18)', async () => {
    const { kind } = await openWidgets();
    const refused = async (change: Parameters<typeof testWatchOptions>[0]) => {
      const { code, message } = await rejectionStatus(kind.verbs.watch(callerContext(), testWatchOptions(change)));
      return `${code} ${message}`;
    };
    expect(await refused({ sendInitialEvents: true })).toBe(
      '422 ListOptions.meta.k8s.io "" is invalid: resourceVersionMatch: Forbidden: sendInitialEvents requires setting resourceVersionMatch to NotOlderThan',
    );
    expect(await refused({ resourceVersionMatch: 'NotOlderThan' })).toContain(
      'resourceVersionMatch: Forbidden: resourceVersionMatch is forbidden for watch unless sendInitialEvents is provided',
    );
    expect(await refused({ resourceVersionMatch: 'Exact', sendInitialEvents: true })).toContain(
      'resourceVersionMatch: Unsupported value: "Exact": supported values: "NotOlderThan"',
    );
    expect(await refused({ resourceVersion: 'abc' })).toBe(
      '400 resourceVersion: Invalid value: "abc": strconv.ParseUint: parsing "abc": invalid syntax',
    );
  });

  it('bookmarks are sent every minute and two seconds before the end, if requested (WATCH-14, WATCH-15, WATCH-16)', async () => {
    const { kind, clock } = await openWidgets();
    const settle = () => kind.verbs.list(callerContext(), testListOptions());
    const stream = await kind.verbs.watch(
      callerContext(),
      testWatchOptions({ resourceVersion: '1', allowBookmarks: true, timeoutMilliseconds: 90_000 }),
    );
    const plain = await kind.verbs.watch(
      callerContext(),
      testWatchOptions({ resourceVersion: '1', timeoutMilliseconds: 90_000 }),
    );
    await create(kind, 'w1');
    clock.advance(60_000);
    await settle();
    expect((await takeEvents(stream, 2)).map(describeEvent)).toEqual(['ADDED w1@2', 'BOOKMARK @2']);
    clock.advance(28_000);
    await settle();
    expect((await takeEvents(stream, 1)).map(describeEvent)).toEqual(['BOOKMARK @2']);
    expect((await takeEvents(plain, 1)).map(describeEvent)).toEqual(['ADDED w1@2']);
    clock.advance(2_000);
    expect(await takeEvents(stream, 1)).toEqual([]);
    expect(await takeEvents(plain, 1)).toEqual([]);
  });

  it('a revision that is too old gets an ERROR event (WATCH-17)', async () => {
    const { kind, store } = await openWidgets({}, { limits: { recentChanges: 1 } });
    for (const name of ['w1', 'w2', 'w3', 'w4']) await create(kind, name);
    await store.compact(testSlice, 4);
    const stream = await kind.verbs.watch(callerContext(), testWatchOptions({ resourceVersion: '2' }));
    const [event, ...more] = await takeEvents(stream, 2);
    expect(more).toEqual([]);
    expect(event).toMatchObject({
      type: 'ERROR',
      status: { code: 410, reason: 'Expired', message: 'too old resource version: 2 (4)' },
    });
  });

  it('changes that are no longer in memory are read from the store, without gaps or duplicates', async () => {
    const { kind } = await openWidgets({}, { limits: { recentChanges: 1 } });
    for (const name of ['w1', 'w2', 'w3', 'w4', 'w5']) await create(kind, name);
    expect(await events(kind, { resourceVersion: '2' }, () => create(kind, 'w6'), 5)).toEqual([
      'ADDED w2@3',
      'ADDED w3@4',
      'ADDED w4@5',
      'ADDED w5@6',
      'ADDED w6@7',
    ]);
  });

  it('history is read in chunks, at the pace of the reader', async () => {
    const memory = openMemoryStore();
    const reads: number[] = [];
    const store = storeWithOverrides(memory, {
      history: (range, since, options) => {
        reads.push(since);
        return memory.history(range, since, options);
      },
    });
    const { kind } = await openWidgets({}, { store, limits: { recentChanges: 1 } });
    const names = Array.from({ length: 7 }, (_, index) => `w${index}`);
    // Two objects of this size fit into a chunk.
    const annotations = { text: 'x'.repeat(100_000) };
    for (const name of names) {
      await kind.verbs.create(callerContext(), newWidget(name, { metadata: { annotations } }), testWriteOptions);
    }
    const stream = await kind.verbs.watch(callerContext(), testWatchOptions({ resourceVersion: '1' }));
    const iterator = stream[Symbol.asyncIterator]();
    const received = [(await iterator.next()).value];
    expect(reads).toEqual([1]);
    while (received.length < names.length) received.push((await iterator.next()).value);
    expect(received.map((event) => event.object.object.metadata.name)).toEqual(names);
    expect(reads).toEqual([1, 3, 5]);
    await iterator.return?.();
  });

  it('history is read once for all watches that resume after a restart', async () => {
    const memory = openMemoryStore();
    let reads = 0;
    const store = storeWithOverrides(memory, {
      history: (range, since, options) => {
        reads++;
        return memory.history(range, since, options);
      },
    });
    const { kind: before } = await openWidgets({}, { store: memory });
    const names = Array.from({ length: 70 }, (_, index) => `w${index}`);
    for (const name of names) await create(before, name);
    // A second cache over the same store is in the same state as the first cache would be after a restart.
    const { kind } = await openWidgets({}, { store });
    const resumeFrom = (revision: number) =>
      kind.verbs.watch(callerContext(), testWatchOptions({ resourceVersion: String(revision) }));
    const streams = await Promise.all(Array.from({ length: 200 }, (_, index) => resumeFrom(11 + (index % 50))));
    expect(reads).toBeLessThan(10);
    for (const [index, stream] of streams.entries()) {
      const expected = names.slice(10 + (index % 50));
      const received = await takeEvents(stream, expected.length);
      expect(received.map((event) => event.type !== 'ERROR' && describeEvent(event).split(/[ @]/)[1])).toEqual(
        expected,
      );
    }
    const readsBefore = reads;
    expect((await takeEvents(await resumeFrom(1), 70)).map(describeEvent)[0]).toBe('ADDED w0@2');
    expect(reads).toBeGreaterThan(readsBefore);
  });

  it('history that does not fit into memory is read by each watch', async () => {
    const memory = openMemoryStore();
    const { kind: before } = await openWidgets({}, { store: memory });
    const names = Array.from({ length: 70 }, (_, index) => `w${index}`);
    for (const name of names) await create(before, name);
    const { kind } = await openWidgets({}, { store: memory, limits: { recentChanges: 20 } });
    const streams = await Promise.all(
      [1, 1, 31, 60].map((revision) =>
        kind.verbs.watch(callerContext(), testWatchOptions({ resourceVersion: String(revision) })),
      ),
    );
    const counts = [70, 70, 40, 11];
    for (const [index, stream] of streams.entries()) {
      const received = await takeEvents(stream, counts[index] ?? 0);
      expect(received.map(describeEvent)[0]).toBe(`ADDED w${70 - (counts[index] ?? 0)}@${72 - (counts[index] ?? 0)}`);
    }
  });

  it('changes written while history is read are sent exactly once (WATCH-05)', async () => {
    const memory = openMemoryStore();
    let open = () => {};
    const gate = new Promise<void>((resolve) => {
      open = resolve;
    });
    const store = storeWithOverrides(memory, {
      history: async (range, since, options) => {
        await gate;
        return memory.history(range, since, options);
      },
    });
    const { kind } = await openWidgets({}, { store, limits: { recentChanges: 1 } });
    for (const name of ['w1', 'w2', 'w3']) await create(kind, name);
    const watch = kind.verbs.watch(callerContext(), testWatchOptions({ resourceVersion: '2' }));
    await create(kind, 'w4');
    await create(kind, 'w5');
    open();
    const stream = await watch;
    await create(kind, 'w6');
    expect((await takeEvents(stream, 5)).map(describeEvent)).toEqual([
      'ADDED w2@3',
      'ADDED w3@4',
      'ADDED w4@5',
      'ADDED w5@6',
      'ADDED w6@7',
    ]);
  });

  it('changes up to a requested future revision are skipped (WATCH-19)', async () => {
    const { kind } = await openWidgets();
    const act = async () => {
      for (const name of ['w1', 'w2', 'w3']) await create(kind, name);
    };
    expect(await events(kind, { resourceVersion: '3' }, act, 1)).toEqual(['ADDED w3@4']);
  });

  it('an object that enters or leaves the selection is ADDED or DELETED (WATCH-20, WATCH-21, WATCH-22)', async () => {
    const { kind } = await openWidgets();
    await create(kind, 'w', 'no');
    await create(kind, 'other', 'no');
    const stream = await kind.verbs.watch(
      callerContext(),
      testWatchOptions({ resourceVersion: '3', ...labelled('yes') }),
    );
    await relabel(kind, 'w', 'yes');
    await relabel(kind, 'other', 'never');
    await merge(kind, 'w', { spec: { color: 'red' } });
    await relabel(kind, 'w', 'no');
    const seen = await takeEvents(stream, 3);
    expect(seen.map(describeEvent)).toEqual(['ADDED w@4', 'MODIFIED w@6', 'DELETED w@7']);
    const last = seen[2];
    if (last?.type !== 'DELETED') throw new Error('expected a DELETED event');
    expect(last.object.object).toMatchObject({ metadata: { labels: { l: 'yes' } }, spec: { color: 'red' } });
    expect(JSON.parse(last.object.json()).metadata.resourceVersion).toBe('7');
  });

  it('an object that the caller may not read is treated like one that the selector excludes', async () => {
    const { kind } = await openWidgets();
    const mayRead = (object: { metadata: { labels?: Record<string, string> } }) => object.metadata.labels?.l === 'mine';
    const stream = await kind.verbs.watch(callerContext({ mayRead }), testWatchOptions({ resourceVersion: '1' }));
    await create(kind, 'w', 'mine');
    await create(kind, 'x', 'theirs');
    await relabel(kind, 'w', 'theirs');
    await relabel(kind, 'x', 'mine');
    const seen = await takeEvents(stream, 3);
    expect(seen.map(describeEvent)).toEqual(['ADDED w@2', 'DELETED w@4', 'ADDED x@5']);
    expect(JSON.stringify(seen.map((event) => (event.type === 'DELETED' ? event.object.object : {})))).not.toContain(
      'theirs',
    );
  });

  it('a DELETED event has the last state of the object and the revision of the deletion (WATCH-23)', async () => {
    const { kind } = await openWidgets();
    await create(kind, 'w', 'x');
    const stream = await kind.verbs.watch(callerContext(), testWatchOptions({ resourceVersion: '2' }));
    await kind.verbs.delete(callerContext(), 'w', testDeleteOptions());
    const [event] = await takeEvents(stream, 1);
    expect(event).toMatchObject({
      type: 'DELETED',
      object: { object: { metadata: { name: 'w', labels: { l: 'x' }, resourceVersion: '3' } } },
    });
  });

  it('all watches get the same event with the same JSON (WATCH-26)', async () => {
    const { kind } = await openWidgets();
    const streams = await Promise.all(
      Array.from({ length: 5 }, () => kind.verbs.watch(callerContext(), testWatchOptions({ resourceVersion: '1' }))),
    );
    await create(kind, 'w');
    await kind.verbs.delete(callerContext(), 'w', testDeleteOptions());
    const seen = await Promise.all(streams.map((stream) => takeEvents(stream, 2)));
    const objects = seen.map((list) => list.map((event) => ('object' in event ? event.object : undefined)));
    for (const other of objects) expect(other).toEqual(objects[0]);
    expect(objects[1]?.[1]).toBe(objects[0]?.[1]);
  });

  it('a watch covers only its namespace, which need not exist (WATCH-28)', async () => {
    const { kind } = await openWidgets();
    const stream = await kind.verbs.watch(callerContext({ namespace: 'b' }), testWatchOptions());
    await create(kind, 'w');
    await kind.verbs.create(callerContext({ namespace: 'b' }), newWidget('v'), testWriteOptions);
    expect((await takeEvents(stream, 1)).map(describeEvent)).toEqual(['ADDED v@3']);
  });

  it('a watch whose reader is too slow ends (WATCH-32)', async () => {
    const { kind } = await openWidgets({}, { limits: { watchQueue: 2 } });
    const stream = await kind.verbs.watch(callerContext(), testWatchOptions({ resourceVersion: '1' }));
    for (const name of ['w1', 'w2', 'w3']) await create(kind, name);
    expect(await takeEvents(stream, 1)).toEqual([]);
  });

  it('a watch whose queued events are too large ends (WATCH-32)', async () => {
    const { kind } = await openWidgets({}, { limits: { watchQueueSize: 10 } });
    const stream = await kind.verbs.watch(callerContext(), testWatchOptions({ resourceVersion: '1' }));
    for (const name of ['w1', 'w2']) await create(kind, name);
    expect(await takeEvents(stream, 1)).toEqual([]);
  });

  it('a watch ends with its signal, its reader and its kind (WATCH-33)', async () => {
    const { kind } = await openWidgets();
    const abort = new AbortController();
    const stopped = await kind.verbs.watch(
      callerContext({ signal: abort.signal }),
      testWatchOptions({ resourceVersion: '1' }),
    );
    const waiting = takeEvents(stopped, 1);
    abort.abort();
    expect(await waiting).toEqual([]);
    const left = await kind.verbs.watch(callerContext(), testWatchOptions({ resourceVersion: '1' }));
    const iterator = left[Symbol.asyncIterator]();
    const pending = iterator.next();
    await iterator.return?.();
    expect((await pending).done).toBe(true);
    const closed = await kind.verbs.watch(callerContext(), testWatchOptions({ resourceVersion: '1' }));
    await create(kind, 'w');
    kind.close();
    expect((await takeEvents(closed, 2)).map(describeEvent)).toEqual(['ADDED w@2']);
  });

  it('the last events are sent before the slice is removed (WATCH-38)', async () => {
    const { kind, store } = await openWidgets();
    await create(kind, 'w');
    const stream = await kind.verbs.watch(callerContext(), testWatchOptions({ resourceVersion: '2' }));
    await store.removePrefix({ slice: testSlice, prefix: ['objects'] });
    expect((await takeEvents(stream, 1)).map(describeEvent)).toEqual(['DELETED w@3']);
    await store.removePrefix({ slice: testSlice, prefix: [] });
    expect(await takeEvents(stream, 1)).toEqual([]);
  });

  it('status writes are sent, and writes without a change are not (WATCH-37)', async () => {
    const { kind } = await openWidgets();
    const { object } = await create(kind, 'w');
    const stream = await kind.verbs.watch(callerContext(), testWatchOptions({ resourceVersion: '2' }));
    await merge(kind, 'w', {});
    await kind.status?.update(callerContext(), 'w', { ...object, status: { phase: 'Ready' } }, testWriteOptions);
    expect((await takeEvents(stream, 1)).map(describeEvent)).toEqual(['MODIFIED w@3']);
  });
});

describe('listen', () => {
  it('a listener gets each change synchronously, in order, with the object before and after', async () => {
    const { kind } = await openWidgets();
    const seen: string[] = [];
    const stop = kind.listen(({ revision, before, after }) => {
      seen.push(`${revision} ${before?.object.metadata.resourceVersion} ${after?.object.metadata.resourceVersion}`);
    });
    await create(kind, 'w');
    await merge(kind, 'w', { spec: { color: 'red' } });
    await kind.verbs.delete(callerContext(), 'w', testDeleteOptions());
    stop();
    await create(kind, 'v');
    expect(seen).toEqual(['2 undefined 2', '3 2 3', '4 3 undefined']);
    expect([...kind.peekAll('a')].map(({ object }) => object.metadata.name)).toEqual(['v']);
  });
});
