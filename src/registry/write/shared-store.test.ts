import { describe, expect, it } from 'vitest';
import { interruptibleStore } from '../../store/interruptible-store.fixture.ts';
import { openMemoryStore } from '../../store/memory.ts';
import { StoreError } from '../../store/store-error.ts';
import type { KindStore } from '../kind-store.ts';
import type { StoredResource } from '../resource.ts';
import {
  callerContext,
  dryRun,
  newWidget,
  openWidgets,
  rejectionStatus,
  testDeleteOptions,
  testGetOptions,
  testListOptions,
  testPatchOptions,
  testWriteOptions,
} from '../widgets.fixture.ts';

/** Opens a kind twice over one store. The kind `replica` receives the changes of the kind `other` late. */
async function open(change: Partial<StoredResource> = {}) {
  const memory = openMemoryStore();
  const { kind: other } = await openWidgets(change, { store: memory });
  await create(other, 'w', 'red');
  const replica = interruptibleStore(memory);
  const { kind, namespaces, clock } = await openWidgets(change, { store: replica.store });
  /** Runs a call. Returns its result and the number of times that it asked the store for its revision. */
  const counted = async <T>(call: Promise<T>): Promise<{ result: T; questions: number }> => {
    const before = replica.questions;
    const result = await call;
    return { result, questions: replica.questions - before };
  };
  return { kind, other, replica, counted, namespaces, clock };
}

const create = (kind: KindStore, name: string, color: string, options = testWriteOptions) =>
  kind.verbs.create(callerContext(), newWidget(name, { spec: { color } }), options);

const paint = (kind: KindStore, color: string, options = testPatchOptions) =>
  kind.verbs.patch(callerContext(), 'w', { type: 'merge', document: { spec: { color } }, findings: [] }, options);

const colorOf = ({ object }: { object: { spec?: unknown } }) => (object.spec as { color: string }).color;

describe('a write in a store that other processes write to', () => {
  it('does not ask for the revision if it succeeds', async () => {
    const { kind, counted } = await open();
    expect((await counted(create(kind, 'x', 'red'))).questions).toBe(0);
    expect((await counted(paint(kind, 'blue'))).questions).toBe(0);
    const { object } = await kind.verbs.get(callerContext(), 'w', testGetOptions);
    expect(
      (await counted(kind.verbs.update(callerContext(), 'w', structuredClone(object), testWriteOptions))).questions,
    ).toBe(1);
    expect((await counted(kind.verbs.delete(callerContext(), 'w', testDeleteOptions()))).questions).toBe(0);
  });

  it('is repeated with the current object after a conflict', async () => {
    const { kind, other, replica, counted } = await open();
    replica.hold();
    await other.verbs.patch(
      callerContext(),
      'w',
      { type: 'merge', document: { metadata: { labels: { of: 'other' } } }, findings: [] },
      testPatchOptions,
    );
    const { result, questions } = await counted(paint(kind, 'blue'));
    expect(result.object).toMatchObject({ metadata: { labels: { of: 'other' } }, spec: { color: 'blue' } });
    expect(questions).toBe(1);
  });

  it('is repeated before it is refused because of an old state', async () => {
    const { kind, other, replica, namespaces } = await open();
    replica.hold();
    await other.verbs.delete(callerContext(), 'w', testDeleteOptions());
    expect(colorOf(await create(kind, 'w', 'green'))).toBe('green');
    replica.hold();
    await create(other, 'late', 'red');
    await kind.verbs.delete(callerContext(), 'late', testDeleteOptions());
    replica.hold();
    const { object } = await paint(other, 'yellow');
    const next = { ...structuredClone(object), spec: { color: 'black' } };
    expect(colorOf(await kind.verbs.update(callerContext(), 'w', next, testWriteOptions))).toBe('black');
    const { metadata } = (await kind.verbs.get(callerContext(), 'w', testGetOptions)).object;
    replica.hold();
    await paint(other, 'white');
    const { resourceVersion = '' } = metadata;
    const options = testDeleteOptions({ preconditions: { resourceVersion } });
    expect(await rejectionStatus(kind.verbs.delete(callerContext(), 'w', options))).toMatchObject({ code: 409 });
    namespaces.delete('a');
    expect(await rejectionStatus(create(kind, 'x', 'red'))).toMatchObject({ code: 404 });
  });

  it('is refused after one question if nothing has changed', async () => {
    const { kind, counted } = await open();
    await kind.verbs.list(callerContext(), testListOptions());
    const deleting = rejectionStatus(kind.verbs.delete(callerContext(), 'missing', testDeleteOptions()));
    const { result, questions } = await counted(deleting);
    expect([result.code, questions]).toEqual([404, 1]);
    expect((await counted(rejectionStatus(create(kind, 'w', 'red')))).result).toMatchObject({ code: 409 });
  });

  it('succeeds without a transaction only if the object is current', async () => {
    const { kind, other, replica } = await open();
    replica.hold();
    await paint(other, 'blue');
    expect(colorOf(await paint(kind, 'red'))).toBe('red');
    expect(colorOf(await other.verbs.get(callerContext(), 'w', testGetOptions))).toBe('red');
    const finalizers = ['x.example/f'];
    const patch = { type: 'merge', document: { metadata: { finalizers } }, findings: [] } as const;
    await other.verbs.patch(callerContext(), 'w', patch, testPatchOptions);
    await kind.verbs.delete(callerContext(), 'w', testDeleteOptions());
    replica.hold();
    const release = { type: 'merge', document: { metadata: { finalizers: null } }, findings: [] } as const;
    await other.verbs.patch(callerContext(), 'w', release, testPatchOptions);
    await create(other, 'w', 'new');
    expect('gone' in (await kind.verbs.delete(callerContext(), 'w', testDeleteOptions()))).toBe(true);
    expect(other.peek('a', 'w')).toBeUndefined();
  });

  it('uses the current state for a dry run and for deadlines', async () => {
    const { kind, other, replica, clock } = await open();
    replica.hold();
    await other.verbs.patch(
      callerContext(),
      'w',
      { type: 'merge', document: { metadata: { labels: { of: 'other' } } }, findings: [] },
      testPatchOptions,
    );
    expect((await paint(kind, 'blue', { ...testPatchOptions, dryRun: true })).object.metadata.labels).toEqual({
      of: 'other',
    });
    replica.hold();
    await create(other, 'x', 'red');
    expect(await rejectionStatus(create(kind, 'x', 'red', dryRun))).toMatchObject({ code: 409 });
    replica.hold();
    await other.verbs.delete(callerContext(), 'x', testDeleteOptions({ gracePeriodSeconds: 1 }));
    clock.advance(2_000);
    await kind.handleDeadline('a', 'x');
    expect(other.peek('a', 'x')).toBeUndefined();
  });

  it('is not repeated if its outcome is unknown', async () => {
    const memory = openMemoryStore();
    const replica = interruptibleStore(memory);
    let writes = 0;
    const store = {
      ...replica.store,
      transact: async () => {
        writes++;
        throw new StoreError('UnknownOutcome', 'no confirmation');
      },
    };
    const { kind } = await openWidgets({}, { store });
    expect(await rejectionStatus(create(kind, 'x', 'red'))).toMatchObject({ code: 504 });
    expect([writes, replica.questions]).toEqual([1, 0]);
  });
});

describe('a read in a store that other processes write to', () => {
  it('asks for the revision, so that it sees their writes', async () => {
    const { kind, other, replica, counted } = await open();
    replica.hold();
    await paint(other, 'blue');
    const { result, questions } = await counted(kind.verbs.get(callerContext(), 'w', testGetOptions));
    expect([colorOf(result), questions]).toEqual(['blue', 1]);
  });

  it('does not ask with the resourceVersion 0, unless the object is missing', async () => {
    const { kind, other, replica, counted } = await open();
    const { resourceVersion } = await kind.verbs.list(callerContext(), testListOptions());
    replica.hold();
    await paint(other, 'blue');
    const any = { resourceVersion: '0' };
    expect(await counted(kind.verbs.get(callerContext(), 'w', any).then(colorOf))).toEqual({
      result: 'red',
      questions: 0,
    });
    const listed = await counted(kind.verbs.list(callerContext(), testListOptions(any)));
    expect([listed.result.items.map(colorOf), listed.result.resourceVersion, listed.questions]).toEqual([
      ['red'],
      resourceVersion,
      0,
    ]);
    await create(other, 'x', 'green');
    expect(colorOf(await kind.verbs.get(callerContext(), 'x', any))).toBe('green');
    expect(await rejectionStatus(kind.verbs.get(callerContext(), 'missing', any))).toMatchObject({ code: 404 });
    expect((await kind.verbs.list(callerContext(), testListOptions(any))).resourceVersion).toBe('4');
  });
});
