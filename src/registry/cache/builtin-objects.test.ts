import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { StatusError } from '../../api/status.ts';
import { ManualClock } from '../../lib/clock.ts';
import { openMemoryStore } from '../../store/memory.ts';
import type { Store } from '../../store/store.ts';
import type { KindStore } from '../kind-store.ts';
import type { StoredResource } from '../resource.ts';
import { objectsRange } from '../rows/rows.ts';
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
  widgetResource,
} from '../widgets.fixture.ts';
import type { PlaneCreation } from './builtin-object.ts';
import { builtinObjectsByKind } from './builtin-objects.ts';

const definitions = [
  newWidget('m1', { metadata: { namespace: 'a', labels: { l: 'red' } }, spec: { color: 'red' } }),
  newWidget('m2', { metadata: { namespace: 'a', labels: { l: 'blue' } }, spec: { color: 'blue', parts: ['x'] } }),
  newWidget('m1', { metadata: { namespace: 'b' } }),
];

/** Opens a plane that was created at revision 2. Revision 1 belongs to another plane. */
async function open(
  change: Partial<StoredResource> = {},
  options: { id?: string; store?: Store; list?: typeof definitions } = {},
) {
  const clock = new ManualClock();
  const store = options.store ?? openMemoryStore({ clock });
  const id = options.id ?? testSlice;
  if (options.store === undefined) {
    await store.transact({ writes: [{ key: { slice: id, segments: ['born'] }, value: '{}' }] });
  }
  const kind = builtinObjectsByKind([{ ...widgetResource, ...change }], [options.list ?? definitions]).get(
    'widgets.test.example',
  );
  if (kind === undefined) throw new Error('no built-in objects');
  const birth: PlaneCreation = { seed: id, createdAt: '2026-01-01T00:00:00Z', revision: 2 };
  return openWidgets(change, { store, clock, slice: id, builtinObjects: { kind, planeCreation: birth } });
}

const all = callerContext({ namespace: '' });

async function names(kind: KindStore, options = testListOptions()) {
  const { items, resourceVersion } = await kind.verbs.list(all, options);
  return {
    at: resourceVersion,
    items: items.map(({ object }) => `${object.metadata.namespace}/${object.metadata.name}`),
  };
}

describe('a built-in object', () => {
  it('a built-in object is read, listed and counted as if it had been created with the plane', async () => {
    const { kind } = await open();
    const { object, json } = await kind.verbs.get(callerContext(), 'm1', testGetOptions);
    expect(object.metadata).toMatchObject({
      name: 'm1',
      namespace: 'a',
      resourceVersion: '2',
      creationTimestamp: '2026-01-01T00:00:00Z',
      generation: 1,
      labels: { l: 'red' },
    });
    expect(object.metadata.uid).toMatch(/^[0-9a-f]{8}-[0-9a-f]{4}-5[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/);
    expect(object.metadata.managedFields).toMatchObject([
      { manager: 'kube-apiserver', operation: 'Update', time: '2026-01-01T00:00:00Z' },
    ]);
    expect(JSON.parse(json.call(kind.peek('a', 'm1')))).toEqual(object);
    expect(await names(kind)).toEqual({ at: '2', items: ['a/m1', 'a/m2', 'b/m1'] });
    expect(kind.count()).toBe(3);
  });

  it('a built-in object has a different uid in each plane, which is stable across reloads', async () => {
    const uid = async (id: string) => (await open({}, { id })).kind.peek('a', 'm1')?.object.metadata.uid;
    expect(await uid('one')).toBe(await uid('one'));
    expect(await uid('one')).not.toBe(await uid('two'));
  });

  it('built-in objects are selected by labels and fields, in pages, at their own and at later revisions', async () => {
    const { kind } = await open();
    await kind.verbs.create(callerContext(), newWidget('m0'), testWriteOptions);
    expect((await names(kind, testListOptions({ resourceVersion: '2', resourceVersionMatch: 'Exact' }))).items).toEqual(
      ['a/m1', 'a/m2', 'b/m1'],
    );
    const first = await kind.verbs.list(all, testListOptions({ limit: 2, resourceVersion: '2' }));
    expect(first).toMatchObject({ remainingItemCount: 1, resourceVersion: '2' });
    const rest = await kind.verbs.list(all, testListOptions({ limit: 2, continue: first.continue ?? '' }));
    expect(rest.items.map(({ object }) => object.metadata.name)).toEqual(['m1']);
  });

  it('an update of a built-in object writes a row, and watches get a MODIFIED event', async () => {
    const { kind, store } = await open();
    const watch = await kind.verbs.watch(all, testWatchOptions({ resourceVersion: '2' }));
    const { object } = await kind.verbs.patch(
      callerContext(),
      'm1',
      { type: 'merge', document: { spec: { color: 'green' } }, findings: [] },
      testPatchOptions,
    );
    expect(object.metadata).toMatchObject({ resourceVersion: '3', generation: 2 });
    expect(await takeEvents(watch, 1).then((events) => events.map(describeEvent))).toEqual(['MODIFIED m1@3']);
    const reopened = await open({}, { store });
    expect(reopened.kind.peek('a', 'm1')?.object).toEqual(object);
    expect((await names(reopened.kind)).items).toEqual(['a/m1', 'a/m2', 'b/m1']);
  });

  it('an update of an outdated version of a built-in object is a conflict (UPDATE-07)', async () => {
    const { kind } = await open();
    const seen = kind.peek('a', 'm1')?.object ?? newWidget('');
    const recoloured = { ...seen, spec: { color: 'green' } };
    await kind.verbs.update(callerContext(), 'm1', recoloured, testWriteOptions);
    expect(await rejectionStatus(kind.verbs.update(callerContext(), 'm1', recoloured, testWriteOptions))).toMatchObject(
      {
        code: 409,
      },
    );
  });

  it('a deleted built-in object stays deleted after the plane was unloaded, and can be created again', async () => {
    const { kind, store } = await open();
    const before = kind.peek('a', 'm1')?.object.metadata.uid;
    const watch = await kind.verbs.watch(all, testWatchOptions({ resourceVersion: '2' }));
    await kind.verbs.delete(callerContext(), 'm1', testDeleteOptions());
    expect(kind.peek('a', 'm1')).toBeUndefined();
    expect(await rejectionStatus(kind.verbs.get(callerContext(), 'm1', testGetOptions))).toMatchObject({ code: 404 });
    const rows = await store.list(objectsRange(testSlice, 'widgets.test.example'));
    expect(rows.entries.map(({ value }) => value)).toEqual(['']);

    const { kind: reopened } = await open({}, { store });
    expect((await names(reopened)).items).toEqual(['a/m2', 'b/m1']);
    const created = await reopened.verbs.create(callerContext(), newWidget('m1'), testWriteOptions);
    expect(created.object.metadata.uid).not.toBe(before);
    expect(await takeEvents(watch, 2).then((events) => events.map(describeEvent))).toEqual([
      'DELETED m1@3',
      'ADDED m1@4',
    ]);
    await reopened.verbs.delete(callerContext(), 'm1', testDeleteOptions());
    expect(reopened.count('a')).toBe(1);
    expect((await open({}, { store })).kind.count('a')).toBe(1);
  });

  it('a deleted built-in object waits for its finalizers like any other', async () => {
    const { kind } = await open();
    const hold = (finalizers: string[] | null) =>
      kind.verbs.patch(
        callerContext(),
        'm1',
        { type: 'merge', document: { metadata: { finalizers } }, findings: [] },
        testPatchOptions,
      );
    await hold(['x.example/f']);
    expect(await kind.verbs.delete(callerContext(), 'm1', testDeleteOptions())).toHaveProperty('pending');
    await hold(null);
    expect(kind.peek('a', 'm1')).toBeUndefined();
  });

  it('a watch from before the creation of the plane gets built-in objects as ADDED', async () => {
    const { kind } = await open();
    await kind.verbs.delete(callerContext(), 'm2', testDeleteOptions());
    const watch = await kind.verbs.watch(all, testWatchOptions({ resourceVersion: '1' }));
    expect(await takeEvents(watch, 4).then((events) => events.map(describeEvent))).toEqual([
      'ADDED m1@2',
      'ADDED m2@2',
      'ADDED m1@2',
      'DELETED m2@3',
    ]);
  });

  it('a built-in object of a built-in kind has struct order', async () => {
    const { kind } = await open({ builtIn: true }, { list: [...definitions] });
    const text = kind.peek('a', 'm1')?.json() ?? '';
    expect(text).toMatch(
      /^\{"kind":"Widget","apiVersion":"test.example\/v1","metadata":\{"name":"m1","namespace":"a","uid":"[^"]+","resourceVersion":"2","creationTimestamp":"2026-01-01T00:00:00Z","labels"/,
    );
  });
});

/** One step of a client. */
const step = fc.record({
  act: fc.constantFrom('create', 'paint', 'delete', 'reload'),
  namespace: fc.constantFrom('a', 'b'),
  name: fc.constantFrom('m0', 'm1', 'm2'),
  color: fc.constantFrom('red', 'green'),
});

describe('any sequence of writes to built-in objects', () => {
  it('the result is the same as for ordinary objects, for current and historical lists and for watches', async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(step, { maxLength: 25 }), async (steps) => {
        let { kind, store } = await open();
        const ordinary = await openWidgets();
        for (const { metadata, ...rest } of definitions) {
          const context = callerContext({ namespace: metadata.namespace ?? '' });
          await ordinary.kind.verbs.create(context, { ...rest, metadata }, testWriteOptions);
        }
        const states = new Map<string, unknown>();
        for (const { act, namespace, name, color } of steps) {
          const context = callerContext({ namespace });
          if (act === 'reload') ({ kind, store } = await open({}, { store }));
          const outcomes = await Promise.all(
            [kind, ordinary.kind].map((one) => outcome(one, context, { act, name, color })),
          );
          expect(outcomes[0]).toEqual(outcomes[1]);
          expect(contents(kind)).toEqual(contents(ordinary.kind));
          const { at } = await names(kind);
          states.set(at, contents(kind));
        }
        const now = contents(kind);
        await kind.verbs.create(callerContext({ namespace: 'b' }), newWidget('the-last'), testWriteOptions);
        for (const [at, state] of states) {
          const historical = await kind.verbs.list(
            all,
            testListOptions({ resourceVersion: at, resourceVersionMatch: 'Exact' }),
          );
          expect(historical.items.map(({ object }) => content(object))).toEqual(state);
          expect(await replayed(kind, at, historical.items)).toEqual(now);
        }
      }),
      { numRuns: 60 },
    );
  });
});

async function outcome(
  kind: KindStore,
  context: ReturnType<typeof callerContext>,
  { act, name, color }: { readonly act: string; readonly name: string; readonly color: string },
) {
  try {
    if (act === 'create') await kind.verbs.create(context, newWidget(name, { spec: { color } }), testWriteOptions);
    else if (act === 'delete') await kind.verbs.delete(context, name, testDeleteOptions());
    else if (act === 'paint') {
      const document = { spec: { color } };
      await kind.verbs.patch(context, name, { type: 'merge', document, findings: [] }, testPatchOptions);
    }
    return 'done';
  } catch (error) {
    if (!(error instanceof StatusError)) throw error;
    return error.code;
  }
}

function content({ metadata: { namespace, name, generation }, spec }: ReturnType<typeof newWidget>) {
  return { namespace, name, generation, spec: spec ?? null };
}

function contents(kind: KindStore) {
  return kind.peekAll().map(({ object }) => content(object));
}

/** Returns the objects that a client knows after it listed at the revision `since` and then watched. */
async function replayed(kind: KindStore, since: string, listed: readonly { object: ReturnType<typeof newWidget> }[]) {
  const key = (object: ReturnType<typeof newWidget>) => `${object.metadata.namespace}/${object.metadata.name}`;
  const known = new Map(listed.map(({ object }) => [key(object), object]));
  const watch = await kind.verbs.watch(all, testWatchOptions({ resourceVersion: since, allowBookmarks: false }));
  for await (const event of watch) {
    if (event.type === 'ERROR' || event.type === 'BOOKMARK') throw new Error(describeEvent(event));
    if (event.object.object.metadata.name === 'the-last') break;
    if (event.type === 'DELETED') known.delete(key(event.object.object));
    else known.set(key(event.object.object), event.object.object);
  }
  return [...known].sort(([a], [b]) => (a < b ? -1 : 1)).map(([, object]) => content(object));
}
