import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { StatusError } from '../api/status.ts';
import { openMemoryStore } from '../store/memory.ts';
import { StoreError } from '../store/store-error.ts';
import type { KindStore } from './kind-store.ts';
import { mountStoredKind } from './verbs/stored-verbs.ts';
import type { ServedList, WatchStream } from './verbs.ts';
import {
  callerContext,
  newWidget,
  openWidgets,
  rejectionStatus,
  serverContext,
  storeWithOverrides,
  testDeleteOptions,
  testGetOptions,
  testListOptions,
  testPatchOptions,
  testSlice,
  testWatchOptions,
  testWriteOptions,
} from './widgets.fixture.ts';

/** One step of a client: an action on an object. */
const step = fc.record({
  act: fc.constantFrom('create', 'paint', 'relabel', 'hold', 'release', 'delete', 'foreground'),
  namespace: fc.constantFrom('a', 'b'),
  name: fc.constantFrom('w1', 'w2', 'w3'),
  value: fc.constantFrom('red', 'blue'),
});

type Step = typeof step extends fc.Arbitrary<infer T> ? T : never;

/** Performs the step. A rejection (no such object, or it exists already) is expected. */
async function perform(kind: KindStore, { act, namespace, name, value }: Step): Promise<void> {
  const context = callerContext({ namespace });
  const merge = (document: object) =>
    kind.verbs.patch(
      context,
      name,
      { type: 'merge', document: JSON.parse(JSON.stringify(document)), findings: [] },
      testPatchOptions,
    );
  const acts: Record<Step['act'], () => Promise<unknown>> = {
    create: () => kind.verbs.create(context, newWidget(name, { metadata: { labels: { l: value } } }), testWriteOptions),
    paint: () => merge({ spec: { color: value } }),
    relabel: () => merge({ metadata: { labels: { l: value } } }),
    hold: () => merge({ metadata: { finalizers: ['x.example/f'] } }),
    release: () => merge({ metadata: { finalizers: null } }),
    delete: () => kind.verbs.delete(context, name, testDeleteOptions()),
    foreground: () => kind.verbs.delete(context, name, testDeleteOptions({ propagationPolicy: 'Foreground' })),
  };
  try {
    await acts[act]();
  } catch (error) {
    if (!(error instanceof StatusError)) throw error;
  }
}

const red = {
  labelSelector: { empty: false, matches: (labels?: Readonly<Record<string, string>>) => labels?.l === 'red' },
};

/**
 * Applies events to a map until the revision is reached, as a client does. The map contains objects as JSON, by
 * namespace and name.
 */
async function folded(
  stream: WatchStream,
  until: number,
  start: ServedList['items'] = [],
): Promise<Map<string, string>> {
  const held = new Map<string, string>();
  const put = (item: ServedList['items'][number]) =>
    held.set(`${item.object.metadata.namespace}/${item.object.metadata.name}`, item.json());
  for (const item of start) put(item);
  let reached = 0;
  for await (const event of stream) {
    if (event.type === 'ERROR') throw new Error(event.status.message);
    if (event.type === 'BOOKMARK') {
      if (Number(event.resourceVersion) >= until) return held;
      continue;
    }
    const { namespace, name, resourceVersion } = event.object.object.metadata;
    if (!(start.length === 0 && reached === 0)) expect(Number(resourceVersion)).toBeGreaterThan(reached);
    if (event.type === 'DELETED') expect(held.delete(`${namespace}/${name}`)).toBe(true);
    else {
      expect(held.has(`${namespace}/${name}`)).toBe(event.type === 'MODIFIED');
      put(event.object);
    }
    if (start.length > 0) reached = Number(resourceVersion);
  }
  throw new Error('the stream ended early');
}

const asMap = (list: ServedList) =>
  new Map(list.items.map((item) => [`${item.object.metadata.namespace}/${item.object.metadata.name}`, item.json()]));

describe('a kind over a store', () => {
  it('a list plus the watch from its revision equals a later list (META-16, LIST-04, WATCH-05)', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.array(step, { maxLength: 12 }),
        fc.array(step, { maxLength: 25 }),
        fc.constantFrom(1, 500),
        fc.boolean(),
        async (before, after, recentChanges, selected) => {
          const { kind, clock } = await openWidgets({}, { limits: { recentChanges } });
          const everywhere = callerContext({ namespace: '' });
          const which = selected ? red : {};
          for (const each of before) await perform(kind, each);
          const list = await kind.verbs.list(everywhere, testListOptions(which));
          const half = Math.floor(after.length / 2);
          await Promise.all(after.slice(0, half).map((each) => perform(kind, each)));
          const [resumed, initial] = await Promise.all([
            kind.verbs.watch(
              everywhere,
              testWatchOptions({ ...which, resourceVersion: list.resourceVersion, allowBookmarks: true }),
            ),
            kind.verbs.watch(everywhere, testWatchOptions({ ...which, allowBookmarks: true })),
            ...after.slice(half).map((each) => perform(kind, each)),
          ]);
          const end = await kind.verbs.list(everywhere, testListOptions(which));
          const until = Number(end.resourceVersion);
          clock.advance(60_000);
          expect(await folded(resumed, until, list.items)).toEqual(asMap(end));
          expect(await folded(initial, until)).toEqual(asMap(end));
        },
      ),
      { numRuns: 60 },
    );
  });

  it('pages of any size add up to the list at the revision of the first page, despite concurrent writes (LIST-17)', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.array(step, { minLength: 3, maxLength: 25 }),
        fc.array(step, { maxLength: 20 }),
        fc.integer({ min: 1, max: 4 }),
        fc.boolean(),
        async (before, after, limit, selected) => {
          const { kind } = await openWidgets();
          const everywhere = callerContext({ namespace: '' });
          const which = selected ? red : {};
          for (const each of before) await perform(kind, each);
          const whole = await kind.verbs.list(everywhere, testListOptions(which));
          const seen: ServedList['items'][number][] = [];
          const rest = [...after];
          let token = '';
          do {
            const page = await kind.verbs.list(everywhere, testListOptions({ ...which, limit, continue: token }));
            expect(page.resourceVersion).toBe(whole.resourceVersion);
            expect(page.items.length).toBe(Math.min(limit, whole.items.length - seen.length));
            seen.push(...page.items);
            if (page.remainingItemCount !== undefined) {
              expect(page.remainingItemCount).toBe(whole.items.length - seen.length);
            }
            token = page.continue ?? '';
            await Promise.all(rest.splice(0, 4).map((each) => perform(kind, each)));
          } while (token !== '');
          expect(seen.map((item) => item.json())).toEqual(whole.items.map((item) => item.json()));
        },
      ),
      { numRuns: 60 },
    );
  });

  it('one of several concurrent writers of the same version succeeds (CREATE-30, UPDATE-24)', async () => {
    await fc.assert(
      fc.asyncProperty(fc.integer({ min: 2, max: 8 }), fc.integer({ min: 1, max: 4 }), async (writers, rounds) => {
        const { kind } = await openWidgets();
        const created = await Promise.allSettled(
          Array.from({ length: writers }, () =>
            kind.verbs.create(callerContext(), newWidget('w', { spec: { size: 1 } }), testWriteOptions),
          ),
        );
        expect(created.filter((result) => result.status === 'fulfilled')).toHaveLength(1);
        let won = 0;
        for (let round = 0; round < rounds; round++) {
          const { object } = await kind.verbs.get(callerContext(), 'w', testGetOptions);
          const { size } = object.spec as { size: number };
          const results = await Promise.allSettled(
            Array.from({ length: writers }, (_, index) => {
              const labels = { writer: String(index) };
              const sent = { ...object, metadata: { ...object.metadata, labels }, spec: { size: size + 1 } };
              return kind.verbs.update(callerContext(), 'w', sent, testWriteOptions);
            }),
          );
          won += results.filter((result) => result.status === 'fulfilled').length;
        }
        expect(won).toBe(rounds);
        expect(kind.peek('a', 'w')?.object.spec).toMatchObject({ size: rounds + 1 });
      }),
      { numRuns: 30 },
    );
  });

  it('a kind has the same objects after it is reopened (META-15, DEC-07)', async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(step, { maxLength: 20 }), async (steps) => {
        const { kind, store, clock } = await openWidgets();
        for (const each of steps) await perform(kind, each);
        const everywhere = callerContext({ namespace: '' });
        const before = await kind.verbs.list(everywhere, testListOptions());
        kind.close();
        const again = await openWidgets({}, { store, clock });
        expect(asMap(await again.kind.verbs.list(everywhere, testListOptions()))).toEqual(asMap(before));
      }),
      { numRuns: 30 },
    );
  });

  it('unusual member names and large integers survive the store', async () => {
    const schema = {
      type: 'object' as const,
      properties: { spec: { type: 'object' as const, 'x-kubernetes-preserve-unknown-fields': true } },
    };
    const { kind, store, clock } = await openWidgets({ schema });
    const spec = JSON.parse('{"__proto__":{"x":1},"constructor":2,"10":3,"9":4}');
    spec.long = 9223372036854775807n;
    await kind.verbs.create(callerContext(), newWidget('w', { spec }), testWriteOptions);
    const again = await openWidgets({ schema }, { store, clock });
    const served = await again.kind.verbs.get(callerContext(), 'w', testGetOptions);
    expect(served.json()).toContain(
      '"spec":{"10":3,"9":4,"__proto__":{"x":1},"constructor":2,"long":9223372036854775807}',
    );
  });

  it('built-in kinds have struct order and no generation (DEC-25)', async () => {
    const { kind } = await openWidgets({ builtIn: true });
    const sent = newWidget('w', { metadata: { labels: { l: '1' }, finalizers: ['x.example/f'] } });
    const { object } = await kind.verbs.create(callerContext(), sent, testWriteOptions);
    expect(Object.keys(object.metadata)).toEqual([
      'name',
      'namespace',
      'uid',
      'resourceVersion',
      'creationTimestamp',
      'labels',
      'finalizers',
      'managedFields',
    ]);
    expect(object.metadata).not.toHaveProperty('generation');
  });

  it('a get that waits for a revision does not return an object that the caller may not read (GET-04)', async () => {
    const { kind } = await openWidgets();
    const made = await kind.verbs.create(callerContext(), newWidget('w'), testWriteOptions);
    const next = Number(made.object.metadata.resourceVersion) + 1;
    const options = { resourceVersion: String(next) };
    const refusal = rejectionStatus(kind.verbs.get(callerContext({ mayRead: () => false }), 'new', options));
    await kind.verbs.create(callerContext(), newWidget('new'), testWriteOptions);
    expect(await refusal).toMatchObject({ code: 404 });
    expect(
      (await kind.verbs.get(callerContext({ mayRead: () => true }), 'new', testGetOptions)).object.metadata.name,
    ).toBe('new');
  });

  it('clients get only the verbs that the kind permits, and its status', async () => {
    const { kind } = await openWidgets({ verbs: ['get', 'list'] });
    const mounted = mountStoredKind(kind);
    expect(Object.keys(mounted.verbs)).toEqual(['get', 'list']);
    expect(Object.keys(mounted.subresources)).toEqual(['status']);
    await kind.verbs.create(serverContext(), newWidget('w'), testWriteOptions);
  });
});

describe('a failing store', () => {
  it('a store that cannot write is a 503 or 507 with its message, and reads continue (ERR-20)', async () => {
    const real = openMemoryStore();
    const { kind: before } = await openWidgets({}, { store: real });
    await before.verbs.create(callerContext(), newWidget('w'), testWriteOptions);
    const failure = { error: new StoreError('Unavailable', 'the disk is read-only') };
    const store = storeWithOverrides(real, { transact: () => Promise.reject(failure.error) });
    const { kind } = await openWidgets({}, { store });
    expect(await rejectionStatus(kind.verbs.create(callerContext(), newWidget('v'), testWriteOptions))).toMatchObject({
      code: 503,
      reason: 'ServiceUnavailable',
      message: 'the disk is read-only',
      details: { retryAfterSeconds: 5 },
    });
    failure.error = new StoreError('OutOfSpace', 'the disk is full; free some space');
    const full = await rejectionStatus(kind.verbs.create(callerContext(), newWidget('v'), testWriteOptions));
    expect(full).toMatchObject({
      code: 507,
      reason: 'InsufficientStorage',
      message: 'the disk is full; free some space',
    });
    failure.error = new StoreError('SliceRemoved', 'the slice was removed');
    const removed = await rejectionStatus(kind.verbs.create(callerContext(), newWidget('v'), testWriteOptions));
    expect(removed).toMatchObject({ code: 503, message: 'the control plane is being removed' });
    expect((await kind.verbs.get(callerContext(), 'w', testGetOptions)).object.metadata.name).toBe('w');
  });

  it('a closed store is a 503', async () => {
    const { kind, store } = await openWidgets();
    await store.close();
    expect(await rejectionStatus(kind.verbs.get(callerContext(), 'w', testGetOptions))).toMatchObject({ code: 503 });
    expect(await rejectionStatus(kind.verbs.create(callerContext(), newWidget('w'), testWriteOptions))).toMatchObject({
      code: 503,
    });
  });

  it('removing the slice ends its watches', async () => {
    const { kind, store } = await openWidgets();
    const stream = await kind.verbs.watch(callerContext(), testWatchOptions({ resourceVersion: '1' }));
    await store.removePrefix({ slice: testSlice, prefix: [] });
    const { done } = await stream[Symbol.asyncIterator]().next();
    expect(done).toBe(true);
  });
});
