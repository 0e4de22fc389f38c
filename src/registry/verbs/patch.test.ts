import type { JsonObject, JsonValue } from '@flotilla/json';
import { describe, expect, it } from 'vitest';
import type { KubeObject } from '../../api/meta.ts';
import type { KindStore } from '../kind-store.ts';
import type { Patch, PatchOptions } from '../verbs.ts';
import {
  callerContext,
  newWidget,
  openWidgets,
  rejectionStatus,
  serverContext,
  testDeleteOptions,
  testGetOptions,
  testPatchOptions,
  testWriteOptions,
} from '../widgets.fixture.ts';

const merge = (document: JsonObject, findings: string[] = []): Patch => ({ type: 'merge', document, findings });
const json = (...operations: JsonObject[]): Patch => ({ type: 'json', operations, findings: [] });
const apply = (object: KubeObject): Patch => ({ type: 'apply', object: object as JsonValue });
const applying = (change: Partial<PatchOptions> = {}): PatchOptions => ({
  ...testPatchOptions,
  fieldManager: 'applier',
  ...change,
});

async function withWidget(change: Parameters<typeof openWidgets>[0] = {}, sent: Parameters<typeof newWidget>[1] = {}) {
  const bench = await openWidgets(change);
  const { object } = await bench.kind.verbs.create(callerContext(), newWidget('w', sent), testWriteOptions);
  return { ...bench, object };
}

const send = (kind: KindStore, patch: Patch, change: Partial<PatchOptions> = {}, context = callerContext()) =>
  kind.verbs.patch(context, 'w', patch, { ...testPatchOptions, ...change });

describe('patch', () => {
  it('a patch changes only the members that it names (PATCH-10, PATCH-13, PATCH-27)', async () => {
    const { kind } = await withWidget({}, { spec: { color: 'red', size: 9007199254740993n } });
    const { object, created } = await send(kind, merge({ spec: { color: 'blue' } }));
    expect([object.spec, created]).toEqual([{ color: 'blue', size: 9007199254740993n, mode: 'plain' }, false]);
    const { object: after } = await send(kind, json({ op: 'remove', path: '/spec/color' }));
    expect(after.spec).toEqual({ size: 9007199254740993n, mode: 'plain' });
    expect((await kind.verbs.get(callerContext(), 'w', testGetOptions)).json()).toContain('"size":9007199254740993');
  });

  it('a JSON patch that cannot be applied is rejected (PATCH-07)', async () => {
    const { kind } = await withWidget();
    expect(await rejectionStatus(send(kind, json({ op: 'test', path: '/spec/color', value: 'red' })))).toMatchObject({
      code: 422,
    });
  });

  it('a patch whose result is not an object of the kind is rejected (PATCH-11)', async () => {
    const { kind } = await withWidget();
    const { code, message } = await rejectionStatus(send(kind, merge({ metadata: { labels: { l: 5 } } })));
    expect(code).toBe(422);
    expect(message).toMatch(
      /^ "" is invalid: patch: Invalid value: ".*": json: cannot unmarshal number into Go struct field ObjectMeta.labels of type string$/,
    );
  });

  it('a patch that changes kind or apiVersion is rejected with field errors (PATCH-11, DEC-05)', async () => {
    const { kind } = await withWidget();
    expect(await rejectionStatus(send(kind, merge({ kind: 'Gadget', apiVersion: 'other.example/v2' })))).toMatchObject({
      code: 422,
      message:
        'Gadget.other.example "w" is invalid: [kind: Invalid value: "Gadget": must be Widget, apiVersion: Invalid value: "other.example/v2": must be test.example/v1]',
    });
  });

  it('unknown and duplicate fields are handled by fieldValidation (DEC-13, DEC-14, DEC-15)', async () => {
    const { kind } = await withWidget();
    const patch = merge({ spec: { foo: 1 } }, ['duplicate field "spec.foo"']);
    const strict = await rejectionStatus(send(kind, patch, { fieldValidation: 'Strict' }));
    expect(strict.code).toBe(422);
    expect(strict.message).toMatch(/strict decoding error: duplicate field "spec.foo", unknown field "spec.foo"$/);
    const context = callerContext();
    const { object } = await send(kind, patch, {}, context);
    expect(context.warnings).toEqual(['duplicate field "spec.foo"', 'unknown field "spec.foo"']);
    expect(object.spec).not.toHaveProperty('foo');
    const quiet = callerContext();
    await send(kind, patch, { fieldValidation: 'Ignore' }, quiet);
    expect(quiet.warnings).toEqual([]);
  });

  it('every patch type but apply gets 404 for an object that does not exist (PATCH-12)', async () => {
    const { kind } = await openWidgets();
    expect(await rejectionStatus(send(kind, merge({})))).toMatchObject({ code: 404 });
    expect(await rejectionStatus(send(kind, json()))).toMatchObject({ code: 404 });
  });

  it('a patch is applied again after a concurrent write and never conflicts for that reason (PATCH-14)', async () => {
    const { kind } = await withWidget({}, { metadata: { annotations: { start: '0' } } });
    await Promise.all(
      Array.from({ length: 25 }, (_, index) =>
        send(kind, merge({ metadata: { annotations: { [`n${index}`]: '1' } } })),
      ),
    );
    const { object } = await kind.verbs.get(callerContext(), 'w', testGetOptions);
    expect(Object.keys(object.metadata.annotations ?? {})).toHaveLength(26);
  });

  it('a resourceVersion in the patch is an optimistic lock (PATCH-15)', async () => {
    const { kind, object } = await withWidget();
    const stale = { code: 409, message: expect.stringContaining('the object has been modified') };
    expect(await rejectionStatus(send(kind, merge({ metadata: { resourceVersion: '1' } })))).toMatchObject(stale);
    expect(
      await rejectionStatus(send(kind, json({ op: 'replace', path: '/metadata/resourceVersion', value: '1' }))),
    ).toMatchObject(stale);
    expect(
      await rejectionStatus(send(kind, apply(newWidget('w', { metadata: { resourceVersion: '1' } })), applying())),
    ).toMatchObject(stale);
    const right = { resourceVersion: object.metadata.resourceVersion ?? '', labels: { l: '1' } };
    expect((await send(kind, merge({ metadata: right }))).object.metadata.labels).toEqual({ l: '1' });
  });

  it.each([null, '', '0'])(
    'a patch that sets the resourceVersion to %j does not overwrite unconditionally (UPDATE-05)',
    async (version) => {
      const { kind } = await withWidget();
      expect(await rejectionStatus(send(kind, merge({ metadata: { resourceVersion: version } })))).toMatchObject({
        code: 422,
        message:
          'widgets.test.example "w" is invalid: metadata.resourceVersion: Invalid value: 0: must be specified for an update',
      });
    },
  );

  it.each([5, 'metadata that is %j is rejected', [], true])('is refused with %j as its metadata', async (metadata) => {
    const { kind } = await openWidgets();
    const body = { ...newWidget('w'), metadata } as unknown as KubeObject;
    expect(await rejectionStatus(send(kind, apply(body), applying()))).toMatchObject({ code: 400 });
  });

  it('name and namespace must match the URL (PATCH-16, SSA-02)', async () => {
    const { kind } = await withWidget();
    expect(await rejectionStatus(send(kind, merge({ metadata: { name: 'v' } })))).toMatchObject({
      code: 400,
      message: 'the name of the object (v) does not match the name on the URL (w)',
    });
    expect(await rejectionStatus(send(kind, merge({ metadata: { namespace: 'b' } })))).toMatchObject({ code: 400 });
    expect(await rejectionStatus(send(kind, apply(newWidget('v')), applying()))).toMatchObject({ code: 400 });
  });

  it('an apply may omit the name of an existing object, but not of a new one (SSA-02)', async () => {
    const { kind } = await openWidgets();
    const nameless = apply(newWidget('', { spec: { color: 'red' } }));
    expect(await rejectionStatus(send(kind, nameless, applying()))).toMatchObject({
      code: 400,
      message: 'the name of the object (w based on URL) was undeterminable: name must be provided',
    });
    await send(kind, apply(newWidget('w')), applying());
    expect((await send(kind, nameless, applying())).object).toMatchObject({ spec: { color: 'red' } });
  });

  it('an apply adds no namespace to the last-applied configuration that it maintains (SSA-35)', async () => {
    const key = 'kubectl.kubernetes.io/last-applied-configuration';
    const { kind } = await withWidget({}, { metadata: { annotations: { [key]: '{}' } } });
    const { object } = await send(
      kind,
      apply(newWidget('w', { spec: { color: 'red' } })),
      applying({ fieldManager: 'kubectl' }),
    );
    expect(object.metadata.annotations?.[key]).toBe(
      '{"apiVersion":"test.example/v1","kind":"Widget","metadata":{"name":"w"},"spec":{"color":"red"}}\n',
    );
  });

  it('a different uid is rejected as an immutable field (PATCH-17)', async () => {
    const { kind } = await withWidget();
    expect(await rejectionStatus(send(kind, merge({ metadata: { uid: 'other' } })))).toMatchObject({
      code: 422,
      message: 'Widget.test.example "w" is invalid: metadata.uid: Invalid value: "other": field is immutable',
    });
  });

  it('an empty patch changes nothing (PATCH-22)', async () => {
    const { kind } = await withWidget({}, { spec: { mode: 'plain' } });
    for (const patch of [merge({}), json()]) {
      expect((await send(kind, patch)).object.metadata.resourceVersion).toBe('2');
    }
  });

  it('a patch of the status changes only the status (PATCH-23, SSA-33)', async () => {
    const { kind } = await withWidget({}, { spec: { color: 'red' } });
    const both = { spec: { color: 'blue' }, status: { phase: 'Ready' } };
    const patched = await kind.status?.patch(callerContext(), 'w', merge(both), testPatchOptions);
    expect(patched?.object).toMatchObject({
      spec: { color: 'red' },
      status: { phase: 'Ready' },
      metadata: { generation: 1 },
    });
    const applied = await kind.status?.patch(
      callerContext(),
      'w',
      apply(newWidget('w', { metadata: { labels: { l: '1' } }, spec: { color: 'green' }, status: { count: 2 } })),
      applying(),
    );
    expect(applied?.object).toMatchObject({ spec: { color: 'red' }, status: { phase: 'Ready', count: 2 } });
    expect(applied?.object.metadata).not.toHaveProperty('labels');
    expect(applied?.object.metadata.managedFields).toContainEqual(
      expect.objectContaining({ manager: 'applier', operation: 'Apply', subresource: 'status' }),
    );
  });

  it('a patch that removes the last finalizer completes a deletion (PATCH-24)', async () => {
    const { kind } = await withWidget({}, { metadata: { finalizers: ['x.example/f'] } });
    await kind.verbs.delete(callerContext(), 'w', testDeleteOptions());
    const { object } = await send(kind, json({ op: 'remove', path: '/metadata/finalizers' }));
    expect(object.metadata.deletionTimestamp).toBeDefined();
    expect(object.metadata.resourceVersion).toBe('3');
    expect(kind.peek('a', 'w')).toBeUndefined();
  });

  it('a patch ends on timeout', async () => {
    const { kind } = await withWidget();
    const abort = new AbortController();
    abort.abort();
    expect(await rejectionStatus(send(kind, merge({}), {}, callerContext({ signal: abort.signal })))).toMatchObject({
      code: 504,
      message: 'Timeout: request did not complete within requested timeout - context deadline exceeded',
    });
  });
});

describe('apply', () => {
  it('an apply creates a missing object like a create (PATCH-12, PATCH-13, SSA-07, SSA-37)', async () => {
    const { kind } = await openWidgets();
    const { object, created } = await send(kind, apply(newWidget('w', { spec: { color: 'red' } })), applying());
    expect(created).toBe(true);
    expect(object).toMatchObject({
      metadata: { name: 'w', namespace: 'a', generation: 1, resourceVersion: '2' },
      spec: { color: 'red', mode: 'plain' },
    });
    expect(object.metadata.managedFields).toEqual([
      {
        manager: 'applier',
        operation: 'Apply',
        apiVersion: 'test.example/v1',
        time: '2026-01-01T00:00:00Z',
        fieldsType: 'FieldsV1',
        fieldsV1: { 'f:spec': { 'f:color': {} } },
      },
    ]);
  });

  it('an apply that creates needs the permission to create, a namespace and no uid (PATCH-18, PATCH-25, CREATE-19, CREATE-20)', async () => {
    const { kind } = await openWidgets();
    const patch = apply(newWidget('w'));
    expect(await rejectionStatus(send(kind, patch, applying(), callerContext({ may: () => false })))).toMatchObject({
      code: 403,
      message: expect.stringContaining('User "jane" cannot create resource "widgets"'),
    });
    expect(await rejectionStatus(send(kind, patch, applying(), callerContext({ namespace: 'nowhere' })))).toMatchObject(
      {
        code: 404,
        message: 'namespaces "nowhere" not found',
      },
    );
    expect(await rejectionStatus(send(kind, patch, applying(), callerContext({ namespace: 'closing' })))).toMatchObject(
      { code: 403 },
    );
    expect(
      await rejectionStatus(send(kind, apply(newWidget('w', { metadata: { uid: 'u' } })), applying())),
    ).toMatchObject({
      code: 409,
      message:
        'Operation cannot be fulfilled on widgets.test.example "w": uid mismatch: the provided object specified uid u, and no existing object was found',
    });
    const versioned = apply(newWidget('w', { metadata: { resourceVersion: '77' } }));
    expect((await send(kind, versioned, applying())).object.metadata.resourceVersion).toBe('2');
  });

  it('a second apply changes nothing (SSA-15)', async () => {
    const { kind, clock } = await openWidgets();
    const patch = apply(newWidget('w', { spec: { color: 'red' } }));
    const first = await send(kind, patch, applying());
    clock.advance(90_000);
    const second = await send(kind, patch, applying());
    expect(second.object).toEqual(first.object);
  });

  it('an apply removes fields that it no longer names, and conflicts over fields of other managers (SSA-08, SSA-09)', async () => {
    const { kind } = await openWidgets();
    await send(kind, apply(newWidget('w', { spec: { color: 'red', size: 2 } })), applying());
    const { object } = await send(kind, apply(newWidget('w', { spec: { color: 'red' } })), applying());
    expect(object.spec).toEqual({ color: 'red', mode: 'plain' });
    await send(kind, merge({ spec: { color: 'blue' } }));
    expect(
      await rejectionStatus(send(kind, apply(newWidget('w', { spec: { color: 'red' } })), applying())),
    ).toMatchObject({
      code: 409,
    });
    const forced = await send(kind, apply(newWidget('w', { spec: { color: 'red' } })), applying({ force: true }));
    expect(forced.object).toMatchObject({ spec: { color: 'red' }, metadata: { generation: 4 } });
  });

  it('a dry run stores nothing (SSA-39)', async () => {
    const { kind } = await openWidgets();
    const tried = await send(kind, apply(newWidget('w', { spec: { color: 'red' } })), applying({ dryRun: true }));
    expect(tried.object.metadata.managedFields).toHaveLength(1);
    expect(tried.object.metadata).not.toHaveProperty('resourceVersion');
    expect(kind.peek('a', 'w')).toBeUndefined();
  });

  it('of several concurrent applies of a new object, one creates it and the others update it', async () => {
    const { kind } = await openWidgets();
    const results = await Promise.all(
      ['m1', 'm2', 'm3'].map((fieldManager) =>
        send(kind, apply(newWidget('w', { spec: { color: 'red' } })), applying({ fieldManager })),
      ),
    );
    expect(results.filter(({ created }) => created)).toHaveLength(1);
    expect(
      kind
        .peek('a', 'w')
        ?.object.metadata.managedFields?.map(({ manager }) => manager)
        .sort(),
    ).toEqual(['m1', 'm2', 'm3']);
  });

  it('an apply does not own fields that the kind fills in, and keeps them', async () => {
    const { kind } = await openWidgets({
      prepare(draft) {
        const spec = (draft.object.spec ?? {}) as JsonObject;
        const old = draft.old?.object.spec as JsonObject | undefined;
        draft.object.spec = { ...spec, size: spec.size ?? old?.size ?? 7 };
      },
    });
    const patch = apply(newWidget('w', { spec: { color: 'red' } }));
    const { object } = await send(kind, patch, applying());
    expect(object.spec).toMatchObject({ color: 'red', size: 7 });
    const again = await send(kind, patch, applying(), serverContext());
    expect(again.object.metadata.resourceVersion).toBe('2');
  });
});
