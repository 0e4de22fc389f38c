import { describe, expect, it, vi } from 'vitest';
import { parseLabelSelector } from '../../api/selectors/label-selector.ts';
import { ManualClock } from '../../lib/clock.ts';
import { silentLog } from '../../lib/log.ts';
import { openMemoryStore } from '../../store/memory.ts';
import type { WatchEvent, WatchStream } from '../verbs.ts';
import {
  callerContext,
  describeEvent,
  newWidget,
  openWidgets,
  rejectionStatus,
  testDeleteOptions,
  testPatchOptions,
  testWatchOptions,
  testWriteOptions,
} from '../widgets.fixture.ts';

type Kind = Awaited<ReturnType<typeof openWidgets>>['kind'];

const nextTurn = () => new Promise<void>((resolve) => setImmediate(resolve));

async function create(kind: Kind, name: string, l = 'x'): Promise<void> {
  await kind.verbs.create(callerContext(), newWidget(name, { metadata: { labels: { l } } }), testWriteOptions);
}

/** Returns all events that are available without waiting. */
function ready(stream: WatchStream): WatchEvent[] {
  const events: WatchEvent[] = [];
  for (let event = stream.take(); event !== undefined; event = stream.take()) events.push(event);
  return events;
}

async function open(
  kind: Kind,
  change: Parameters<typeof testWatchOptions>[0] = {},
  context = callerContext(),
): Promise<WatchStream> {
  const stream = await kind.verbs.watch(context, testWatchOptions({ resourceVersion: '1', ...change }));
  await nextTurn();
  expect(ready(stream)).toEqual([]);
  return stream;
}

describe('many watches of a kind', () => {
  it('watches get the very same event, even with different selections (WATCH-26)', async () => {
    const { kind } = await openWidgets();
    const labelSelector = parseLabelSelector('l=x');
    const streams = [await open(kind), await open(kind), await open(kind, { labelSelector })];
    await create(kind, 'w');
    const [first, ...others] = streams.map((stream) => ready(stream)[0]);
    expect(first).toMatchObject({ type: 'ADDED', shared: expect.anything() });
    for (const other of others) expect(other).toBe(first);
  });

  it('each watch gets the event type that follows from its own selection (WATCH-20 to WATCH-22)', async () => {
    const { kind } = await openWidgets();
    const [all, some, rest] = [
      await open(kind),
      await open(kind, { labelSelector: parseLabelSelector('l=x') }),
      await open(kind, { labelSelector: parseLabelSelector('l!=x') }),
    ];
    await create(kind, 'w');
    const relabel = { type: 'merge', document: { metadata: { labels: { l: 'y' } } }, findings: [] } as const;
    await kind.verbs.patch(callerContext(), 'w', relabel, testPatchOptions);
    expect(ready(all).map(describeEvent)).toEqual(['ADDED w@2', 'MODIFIED w@3']);
    expect(ready(some).map(describeEvent)).toEqual(['ADDED w@2', 'DELETED w@3']);
    expect(ready(rest).map(describeEvent)).toEqual(['ADDED w@3']);
  });

  it('watches with the same selector share one evaluation per change', async () => {
    const { kind } = await openWidgets();
    let looks = 0;
    const parsed = parseLabelSelector('l=x');
    const counting = () => ({
      ...parsed,
      matches: (labels?: Record<string, string>) => ++looks > 0 && parsed.matches(labels),
    });
    const streams: WatchStream[] = [];
    for (let number = 0; number < 20; number++) streams.push(await open(kind, { labelSelector: counting() }));
    looks = 0;
    await create(kind, 'w');
    expect(looks).toBe(1);
    expect(streams.map((stream) => ready(stream).map(describeEvent))).toEqual(streams.map(() => ['ADDED w@2']));
    for (const stream of streams.slice(1)) stream.close();
    await create(kind, 'v');
    expect(ready(streams[0] as WatchStream).map(describeEvent)).toEqual(['ADDED v@3']);
  });

  it('watches with permission checks do not share a group', async () => {
    const { kind } = await openWidgets();
    const mayRead = (l: string) => (object: { metadata: { labels?: Record<string, string> } }) =>
      object.metadata.labels?.l === l;
    const [x, y] = [
      await open(kind, {}, callerContext({ mayRead: mayRead('x') })),
      await open(kind, {}, callerContext({ mayRead: mayRead('y') })),
    ];
    await create(kind, 'w', 'x');
    await create(kind, 'v', 'y');
    expect([ready(x).map(describeEvent), ready(y).map(describeEvent)]).toEqual([['ADDED w@2'], ['ADDED v@3']]);
  });

  it('a failed permission check is logged and ends that watch, and the others continue', async () => {
    const error = vi.fn();
    const { kind } = await openWidgets({}, { log: { ...silentLog, error } });
    const failure = new Error('permission check failed');
    const mayRead = () => {
      throw failure;
    };
    const broken = await open(kind, {}, callerContext({ mayRead }));
    const whole = await open(kind);
    await create(kind, 'w');
    expect([ready(broken), broken.isEnded]).toEqual([[], true]);
    expect(error).toHaveBeenCalledExactlyOnceWith({ err: failure }, expect.any(String));
    expect([ready(whole).map(describeEvent), whole.isEnded]).toEqual([['ADDED w@2'], false]);
  });

  it('a reader is woken once for all events until it reads, interleaved with other work (WATCH-32)', async () => {
    const { kind } = await openWidgets();
    const streams: WatchStream[] = [];
    for (let number = 0; number < 100; number++) streams.push(await open(kind));
    let woken = 0;
    for (const stream of streams) stream.wait(() => woken++);
    const writes = Promise.all(['a', 'b', 'c'].map((name) => create(kind, name)));
    expect(woken).toBe(0);
    const seen = new Set<number>();
    while (woken < streams.length) {
      seen.add(woken);
      await nextTurn();
    }
    await writes;
    expect(seen.size).toBeGreaterThanOrEqual(3);
    for (let tick = 0; tick < 5; tick++) await nextTurn();
    expect(woken).toBe(100);
    for (const stream of streams) expect(ready(stream)).toHaveLength(3);
  });

  it('the readers that a change wakes are reported to the store', async () => {
    const clock = new ManualClock();
    const store = openMemoryStore({ clock });
    const observe = store.observe.bind(store);
    let woken = 0;
    const add = (readers: number) => {
      woken += readers;
    };
    vi.spyOn(store, 'observe').mockImplementation((range, since, observer) =>
      observe(range, since, {
        changes: (changes) => observer.changes(changes, { add }),
        ended: (error) => observer.ended(error),
      }),
    );
    const { kind } = await openWidgets({}, { store, clock });
    const streams = [await open(kind), await open(kind), await open(kind)];
    for (const stream of streams.slice(1)) stream.wait(() => {});
    await create(kind, 'w');
    expect(woken).toBe(2);
    await create(kind, 'x');
    expect(woken).toBe(2);
  });

  it('a reader that waits is woken if an event is already available, or the watch has ended', async () => {
    const { kind } = await openWidgets();
    const stream = await open(kind);
    await create(kind, 'w');
    await new Promise<void>((resolve) => stream.wait(resolve));
    expect(ready(stream)).toHaveLength(1);
    await kind.verbs.delete(callerContext(), 'w', testDeleteOptions());
    kind.close();
    await new Promise<void>((resolve) => stream.wait(resolve));
    expect([ready(stream).map(describeEvent), stream.isEnded]).toEqual([['DELETED w@3'], true]);
    await new Promise<void>((resolve) => stream.wait(resolve));
    const opening = kind.verbs.watch(callerContext(), testWatchOptions({ resourceVersion: '1' }));
    if (kind.isShared) {
      // A closed cache does not receive the changes of other processes, so the watch is refused.
      expect(await rejectionStatus(opening)).toMatchObject({ code: 503 });
      return;
    }
    const late = await opening;
    await nextTurn();
    expect([ready(late), late.isEnded]).toEqual([[], true]);
  });
});
