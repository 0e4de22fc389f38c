import { describe, expect, it } from 'vitest';
import { parseFieldSelector } from '../../api/selectors/field-selector.ts';
import type { ServedList } from '../verbs.ts';
import {
  callerContext,
  newWidget,
  openWidgets,
  rejectionStatus,
  testDeleteOptions,
  testGetOptions,
  testListOptions,
  testSlice,
  testWriteOptions,
} from '../widgets.fixture.ts';
import { encodeContinue } from './continue-token.ts';

const names = (list: ServedList) =>
  list.items.map(({ object }) => `${object.metadata.namespace}/${object.metadata.name}`);

const colored = (color: string) => ({ fieldSelector: parseFieldSelector(`spec.color=${color}`) });

async function withWidgets(...places: string[]) {
  const bench = await openWidgets();
  for (const place of places) {
    const [namespace = '', name = '', color = 'red'] = place.split('/');
    await bench.kind.verbs.create(callerContext({ namespace }), newWidget(name, { spec: { color } }), testWriteOptions);
  }
  return bench;
}

describe('a list for a caller that can read few objects', () => {
  it('the list checks only the readable names, in order, in pages, and still applies mayRead', async () => {
    const { kind } = await withWidgets('a/c', 'a/a', 'a/b', 'a/d', 'b/a');
    const looked: string[] = [];
    const few = callerContext({
      readableNames: () => ['d', 'b', 'gone', 'c', 'b'],
      mayRead: ({ metadata }) => {
        looked.push(metadata.name ?? '');
        return metadata.name !== 'c';
      },
    });
    expect(names(await kind.verbs.list(few, testListOptions()))).toEqual(['a/b', 'a/d']);
    expect(looked).toEqual(['b', 'c', 'd']);
    const first = await kind.verbs.list(few, testListOptions({ limit: 1 }));
    expect(names(first)).toEqual(['a/b']);
    const second = await kind.verbs.list(few, testListOptions({ limit: 1, continue: first.continue ?? '' }));
    expect(names(second)).toEqual(['a/d']);
    expect(second.continue).toBeUndefined();
  });
});

describe('get', () => {
  it('a get returns the newest state with sorted members, or 404 (GET-01, GET-02, DEC-25)', async () => {
    const { kind } = await withWidgets('a/w');
    const served = await kind.verbs.get(callerContext(), 'w', testGetOptions);
    expect(Object.keys(JSON.parse(served.json()))).toEqual(['apiVersion', 'kind', 'metadata', 'spec']);
    expect(JSON.parse(served.json()).metadata.resourceVersion).toBe('2');
    expect(
      await rejectionStatus(kind.verbs.get(callerContext({ namespace: 'nowhere' }), 'w', testGetOptions)),
    ).toMatchObject({
      code: 404,
      message: 'widgets.test.example "w" not found',
    });
  });

  it('the JSON of a version is created once and shared', async () => {
    const { kind } = await withWidgets('a/w');
    const one = await kind.verbs.get(callerContext(), 'w', testGetOptions);
    const [other] = (await kind.verbs.list(callerContext(), testListOptions())).items;
    expect(other).toBe(one);
    expect(Object.isFrozen(one.object.spec)).toBe(true);
    expect(Object.isFrozen(one.object.metadata)).toBe(true);
  });

  it('a get accepts any past revision, and waits three seconds for a future one (GET-03, GET-04)', async () => {
    const { kind, clock } = await withWidgets('a/w');
    for (const resourceVersion of ['0', '1', '2']) await kind.verbs.get(callerContext(), 'w', { resourceVersion });
    const late = rejectionStatus(kind.verbs.get(callerContext(), 'w', { resourceVersion: '9' }));
    await kind.verbs.list(callerContext(), testListOptions());
    clock.advance(3_000);
    expect(await late).toMatchObject({
      code: 504,
      message: 'Timeout: Too large resource version: 9, current: 2',
      details: {
        causes: [{ reason: 'ResourceVersionTooLarge', message: 'Too large resource version' }],
        retryAfterSeconds: 1,
      },
    });
    const soon = kind.verbs.get(callerContext(), 'w', { resourceVersion: '3' });
    await kind.verbs.create(callerContext(), newWidget('v'), testWriteOptions);
    expect((await soon).object.metadata.name).toBe('w');
    expect(
      await rejectionStatus(kind.verbs.get(callerContext(), 'w', { resourceVersion: '18446744073709551615' })),
    ).toMatchObject({
      message: 'Timeout: Too large resource version: 18446744073709551615, current: 3',
    });
  });

  it('a resourceVersion that is not a number is rejected (GET-05)', async () => {
    const { kind } = await withWidgets('a/w');
    expect(await rejectionStatus(kind.verbs.get(callerContext(), 'w', { resourceVersion: 'abc' }))).toMatchObject({
      code: 400,
      message:
        'invalid resource version: resourceVersion: Invalid value: "abc": strconv.ParseUint: parsing "abc": invalid syntax',
    });
  });

  it('a get returns an object that is being deleted (GET-06), and the whole object as its status (GET-07)', async () => {
    const { kind } = await openWidgets();
    await kind.verbs.create(
      callerContext(),
      newWidget('w', { metadata: { finalizers: ['x.example/f'] }, spec: {} }),
      testWriteOptions,
    );
    await kind.verbs.delete(callerContext(), 'w', testDeleteOptions());
    expect(
      (await kind.verbs.get(callerContext(), 'w', testGetOptions)).object.metadata.deletionTimestamp,
    ).toBeDefined();
    expect((await kind.status?.get(callerContext(), 'w', testGetOptions))?.object).toHaveProperty('spec');
  });
});

describe('list', () => {
  it('the list of a namespace that does not exist is empty (LIST-02)', async () => {
    const { kind } = await withWidgets('a/w');
    const list = await kind.verbs.list(callerContext({ namespace: 'nowhere' }), testListOptions());
    expect(list).toEqual({ items: [], resourceVersion: '2' });
  });

  it('a list is sorted by namespace, then name (LIST-03, LIST-26)', async () => {
    const { kind } = await withWidgets('b/x', 'a/y', 'a/b', 'b/a', 'a/b-c', 'a/b.c');
    expect(names(await kind.verbs.list(callerContext({ namespace: '' }), testListOptions()))).toEqual([
      'a/b',
      'a/b-c',
      'a/b.c',
      'a/y',
      'b/a',
      'b/x',
    ]);
    expect(names(await kind.verbs.list(callerContext({ namespace: 'b' }), testListOptions()))).toEqual(['b/a', 'b/x']);
  });

  it('the resourceVersion of a list is the highest revision of the slice (LIST-04, META-16)', async () => {
    const { kind, store } = await withWidgets('a/w');
    await store.transact({
      writes: [{ key: { slice: testSlice, segments: ['objects', 'others', '', 'o'] }, value: '{}' }],
    });
    await store.transact({ writes: [{ key: { slice: 'neighbour', segments: ['x'] }, value: '{}' }] });
    expect((await kind.verbs.list(callerContext(), testListOptions())).resourceVersion).toBe('3');
  });

  it('a list returns the state at exactly a revision, or one that is not older (LIST-05, LIST-06)', async () => {
    const { kind } = await withWidgets('a/w1', 'a/w2', 'a/w3');
    const exact = testListOptions({ resourceVersion: '3', resourceVersionMatch: 'Exact' });
    const list = await kind.verbs.list(callerContext(), exact);
    expect([names(list), list.resourceVersion]).toEqual([['a/w1', 'a/w2'], '3']);
    const legacy = await kind.verbs.list(callerContext(), testListOptions({ resourceVersion: '2', limit: 5 }));
    expect([names(legacy), legacy.resourceVersion]).toEqual([['a/w1'], '2']);
    const newer = await kind.verbs.list(
      callerContext(),
      testListOptions({ resourceVersion: '2', resourceVersionMatch: 'NotOlderThan' }),
    );
    expect(newer.items).toHaveLength(3);
    expect((await kind.verbs.list(callerContext(), testListOptions({ resourceVersion: '2' }))).items).toHaveLength(3);
    const any = await kind.verbs.list(callerContext(), testListOptions({ resourceVersion: '0', limit: 1 }));
    expect([any.items.length, any.continue]).toEqual([3, undefined]);
  });

  it('invalid combinations of resourceVersionMatch are rejected (LIST-07, LIST-08, LIST-10)', async () => {
    const { kind } = await withWidgets();
    const refused = async (change: Parameters<typeof testListOptions>[0]) =>
      (await rejectionStatus(kind.verbs.list(callerContext(), testListOptions(change)))).message;
    expect(await refused({ resourceVersionMatch: 'Exact' })).toBe(
      'ListOptions.meta.k8s.io "" is invalid: resourceVersionMatch: Forbidden: resourceVersionMatch is forbidden unless resourceVersion is provided',
    );
    expect(await refused({ resourceVersionMatch: 'Exact', resourceVersion: '1', continue: 'x' })).toContain(
      'resourceVersionMatch is forbidden when continue is provided',
    );
    expect(await refused({ resourceVersionMatch: 'Exact', resourceVersion: '0' })).toContain(
      'resourceVersionMatch "exact" is forbidden for resourceVersion "0"',
    );
  });

  it('a revision that is invalid, compacted or never reached is rejected (LIST-12, LIST-13, LIST-14, ERR-26)', async () => {
    const { kind, store, clock } = await withWidgets('a/w1', 'a/w2', 'a/w3');
    expect(
      await rejectionStatus(kind.verbs.list(callerContext(), testListOptions({ resourceVersion: 'abc' }))),
    ).toMatchObject({ code: 400 });
    await store.compact(testSlice, 3);
    const old = testListOptions({ resourceVersion: '2', resourceVersionMatch: 'Exact' });
    expect(await rejectionStatus(kind.verbs.list(callerContext(), old))).toMatchObject({
      code: 410,
      reason: 'Expired',
      message: 'The resourceVersion for the provided list is too old.',
    });
    const late = rejectionStatus(kind.verbs.list(callerContext(), testListOptions({ resourceVersion: '99' })));
    await kind.verbs.list(callerContext(), testListOptions());
    clock.advance(3_000);
    expect(await late).toMatchObject({ code: 504 });
  });

  it('all pages have one revision, despite concurrent writes (LIST-15, LIST-17, LIST-23)', async () => {
    const { kind } = await withWidgets('a/w1', 'a/w2', 'a/w3', 'b/w4');
    const everywhere = callerContext({ namespace: '' });
    const first = await kind.verbs.list(everywhere, testListOptions({ limit: 2 }));
    expect([names(first), first.resourceVersion, first.remainingItemCount]).toEqual([['a/w1', 'a/w2'], '5', 2]);
    await kind.verbs.create(callerContext(), newWidget('w2b'), testWriteOptions);
    await kind.verbs.delete(callerContext(), 'w3', testDeleteOptions());
    const second = await kind.verbs.list(everywhere, testListOptions({ limit: 1, continue: first.continue ?? '' }));
    expect([names(second), second.resourceVersion, second.remainingItemCount]).toEqual([['a/w3'], '5', 1]);
    const last = await kind.verbs.list(everywhere, testListOptions({ limit: 5, continue: second.continue ?? '' }));
    expect([names(last), last.resourceVersion]).toEqual([['b/w4'], '5']);
    expect(last).not.toHaveProperty('continue');
    expect(last).not.toHaveProperty('remainingItemCount');
  });

  it('a list without a limit has one page (LIST-16)', async () => {
    const { kind } = await withWidgets('a/w1', 'a/w2');
    expect(await kind.verbs.list(callerContext(), testListOptions())).not.toHaveProperty('continue');
  });

  it('continue tokens have the format of Kubernetes (LIST-18)', async () => {
    const { kind } = await withWidgets('a/w1', 'a/w2');
    const { continue: token = '' } = await kind.verbs.list(callerContext(), testListOptions({ limit: 1 }));
    expect(JSON.parse(Buffer.from(token, 'base64url').toString())).toEqual({
      v: 'meta.k8s.io/v1',
      rv: 3,
      start: 'a/w1\u0000',
    });
  });

  it('invalid continue tokens are rejected (LIST-19)', async () => {
    const { kind } = await withWidgets('a/w1');
    const token = (value: unknown) => Buffer.from(JSON.stringify(value)).toString('base64url');
    const v = 'meta.k8s.io/v1';
    const broken = [
      '!!!',
      'e30',
      token([]),
      token({ v: 'other', rv: 1, start: 'a/b\u0000' }),
      token({ v, rv: 0, start: 'a/b\u0000' }),
      token({ v, rv: -2, start: 'a/b\u0000' }),
      token({ v, rv: 1, start: '' }),
      token({ v, rv: 1, start: '../b\u0000' }),
      token({ v, rv: 1, start: 'a/b/c\u0000' }),
      token({ v, rv: 1, start: 'b\u0000' }),
    ];
    for (const text of broken) {
      const { code, message } = await rejectionStatus(
        kind.verbs.list(callerContext(), testListOptions({ continue: text })),
      );
      expect([code, message]).toEqual([
        400,
        expect.stringMatching(/^invalid continue token: continue key is not valid: /),
      ]);
    }
  });

  it('a resourceVersion together with a continue token is rejected (LIST-20)', async () => {
    const { kind } = await withWidgets('a/w1', 'a/w2');
    const token = encodeContinue(true, { revision: 3, after: { namespace: 'a', name: 'w1' } });
    expect(
      await rejectionStatus(
        kind.verbs.list(callerContext(), testListOptions({ continue: token, resourceVersion: '3' })),
      ),
    ).toMatchObject({
      code: 400,
      message: 'specifying resource version is not allowed when using continue',
    });
    const zero = await kind.verbs.list(callerContext(), testListOptions({ continue: token, resourceVersion: '0' }));
    expect(names(zero)).toEqual(['a/w2']);
  });

  it('an expired continue token gets a token for the remainder (LIST-21, LIST-22)', async () => {
    const { kind, store } = await withWidgets('a/w1', 'a/w2', 'a/w3', 'a/w4');
    const first = await kind.verbs.list(callerContext(), testListOptions({ limit: 1 }));
    await kind.verbs.create(callerContext(), newWidget('w1b'), testWriteOptions);
    await store.compact(testSlice, 6);
    const gone = await rejectionStatus(
      kind.verbs.list(callerContext(), testListOptions({ limit: 2, continue: first.continue ?? '' })),
    );
    expect(gone).toMatchObject({ code: 410, reason: 'Expired' });
    expect(gone.message).toMatch(/^The provided continue parameter is too old to display a consistent list result\./);
    const rest = await kind.verbs.list(
      callerContext(),
      testListOptions({ limit: 2, continue: gone.metadata.continue ?? '' }),
    );
    expect([names(rest), rest.resourceVersion]).toEqual([['a/w1b', 'a/w2'], '6']);
    await kind.verbs.create(callerContext(), newWidget('w2b'), testWriteOptions);
    const end = await kind.verbs.list(callerContext(), testListOptions({ limit: 5, continue: rest.continue ?? '' }));
    expect([names(end), end.resourceVersion]).toEqual([['a/w3', 'a/w4'], '6']);
  });

  it('the latest revision of an unchanged list never expires (§10 of the completions)', async () => {
    const { kind, store } = await withWidgets('a/w1', 'a/w2');
    const first = await kind.verbs.list(callerContext(), testListOptions({ limit: 1 }));
    await store.transact({
      writes: [{ key: { slice: testSlice, segments: ['objects', 'others', '', 'o'] }, value: '{}' }],
    });
    await store.compact(testSlice, 4);
    expect(names(await kind.verbs.list(callerContext(), testListOptions({ continue: first.continue ?? '' })))).toEqual([
      'a/w2',
    ]);
  });

  it('pages are filled with objects that match the selector, from the cache and from history (LIST-24)', async () => {
    const { kind } = await withWidgets('a/w1', 'a/w2/blue', 'a/w3', 'a/w4/blue', 'a/w5/blue', 'a/w6');
    const blue = (change: Parameters<typeof testListOptions>[0]) => testListOptions({ ...colored('blue'), ...change });
    const first = await kind.verbs.list(callerContext(), blue({ limit: 2 }));
    expect(names(first)).toEqual(['a/w2', 'a/w4']);
    expect(first).not.toHaveProperty('remainingItemCount');
    await kind.verbs.delete(callerContext(), 'w5', testDeleteOptions());
    const second = await kind.verbs.list(callerContext(), blue({ limit: 2, continue: first.continue ?? '' }));
    expect(names(second)).toEqual(['a/w5']);
    expect(second).not.toHaveProperty('continue');
  });

  it('objects that the caller may not read are skipped, and the remaining items are not counted', async () => {
    const { kind } = await withWidgets('a/w1', 'a/w2/blue', 'a/w3', 'a/w4');
    const mayRead = (object: { [member: string]: unknown }) => (object.spec as { color: string }).color === 'red';
    const first = await kind.verbs.list(callerContext({ mayRead }), testListOptions({ limit: 2 }));
    expect(names(first)).toEqual(['a/w1', 'a/w3']);
    expect(first.continue).toBeDefined();
    expect(first).not.toHaveProperty('remainingItemCount');
  });

  it('a list of an old revision excludes objects that the caller may no longer read', async () => {
    const { kind } = await withWidgets('a/w1', 'a/w2', 'a/w3');
    const mayRead = (object: { [member: string]: unknown }) => (object.spec as { color: string }).color === 'red';
    const { resourceVersion } = await kind.verbs.list(callerContext({ mayRead }), testListOptions());
    const version = kind.peek('a', 'w2')?.object.metadata.resourceVersion ?? '';
    const taken = newWidget('w2', { metadata: { resourceVersion: version }, spec: { color: 'blue' } });
    await kind.verbs.update(callerContext(), 'w2', taken, testWriteOptions);
    await kind.verbs.delete(callerContext(), 'w3', testDeleteOptions());
    const past = testListOptions({ resourceVersion, resourceVersionMatch: 'Exact' });
    expect(names(await kind.verbs.list(callerContext({ mayRead }), past))).toEqual(['a/w1', 'a/w3']);
    expect(names(await kind.verbs.list(callerContext(), past))).toEqual(['a/w1', 'a/w2', 'a/w3']);
  });

  it('fields select objects, and a name is looked up directly (SEL-09, SEL-11, SEL-13, SEL-14)', async () => {
    const { kind } = await withWidgets('a/w1', 'b/w2/blue', 'b/w1');
    const everywhere = callerContext({ namespace: '' });
    const selected = async (text: string, context = everywhere) =>
      names(await kind.verbs.list(context, testListOptions({ fieldSelector: parseFieldSelector(text) })));
    expect(await selected('metadata.namespace=b')).toEqual(['b/w1', 'b/w2']);
    expect(await selected('spec.color!=red')).toEqual(['b/w2']);
    expect(await selected('metadata.name=w1')).toEqual(['a/w1', 'b/w1']);
    expect(await selected('metadata.name=w1', callerContext())).toEqual(['a/w1']);
    expect(await selected('metadata.name=w2', callerContext())).toEqual([]);
    expect(await selected('metadata.name=w1,metadata.name=w2')).toEqual([]);
    const unknown = testListOptions({ fieldSelector: parseFieldSelector('spec.foo=1') });
    expect(await rejectionStatus(kind.verbs.list(callerContext(), unknown))).toMatchObject({
      code: 400,
      message: 'field label not supported: spec.foo',
    });
  });
});

describe('deletecollection', () => {
  it('matching objects are deleted, and the response lists them as they were (DELCOL-01, DELCOL-02, DELCOL-04)', async () => {
    const { kind } = await withWidgets('a/w1', 'a/w2/blue', 'a/w3', 'b/w4');
    const list = await kind.verbs.deletecollection(
      callerContext(),
      testListOptions(colored('red')),
      testDeleteOptions(),
    );
    expect(names(list)).toEqual(['a/w1', 'a/w3']);
    expect(names(await kind.verbs.list(callerContext({ namespace: '' }), testListOptions()))).toEqual(['a/w2', 'b/w4']);
    expect(
      (await kind.verbs.deletecollection(callerContext(), testListOptions(colored('green')), testDeleteOptions()))
        .items,
    ).toEqual([]);
  });

  it('objects with finalizers are marked, and the first error ends the request (DELCOL-03, DELCOL-08)', async () => {
    const { kind } = await openWidgets();
    await kind.verbs.create(
      callerContext(),
      newWidget('w1', { metadata: { finalizers: ['x.example/f'] } }),
      testWriteOptions,
    );
    await kind.verbs.create(callerContext(), newWidget('w2'), testWriteOptions);
    const preconditions = { uid: kind.peek('a', 'w1')?.object.metadata.uid ?? '' };
    const call = kind.verbs.deletecollection(callerContext(), testListOptions(), testDeleteOptions({ preconditions }));
    expect(await rejectionStatus(call)).toMatchObject({ code: 409 });
    expect(kind.peek('a', 'w1')?.object.metadata.deletionTimestamp).toBeDefined();
    expect(kind.peek('a', 'w2')?.object.metadata.deletionTimestamp).toBeUndefined();
  });

  it('objects that the caller may not read are not deleted, and a dry run deletes nothing', async () => {
    const { kind } = await withWidgets('a/w1', 'a/w2/blue');
    await kind.verbs.deletecollection(callerContext(), testListOptions(), testDeleteOptions({ dryRun: true }));
    const mayRead = (object: { metadata: { name?: string } }) => object.metadata.name === 'w1';
    await kind.verbs.deletecollection(callerContext({ mayRead }), testListOptions(), testDeleteOptions());
    expect(names(await kind.verbs.list(callerContext(), testListOptions()))).toEqual(['a/w2']);
  });
});
