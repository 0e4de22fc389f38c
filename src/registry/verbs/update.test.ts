import type { JsonObject } from '@flotilla/json';
import { describe, expect, it } from 'vitest';
import type { KubeObject } from '../../api/meta.ts';
import {
  callerContext,
  dryRun,
  newWidget,
  openWidgets,
  rejectionStatus,
  serverContext,
  testDeleteOptions,
  testGetOptions,
  testPatchOptions,
  testWriteOptions,
} from '../widgets.fixture.ts';

async function withWidget(change: Parameters<typeof openWidgets>[0] = {}, sent: Parameters<typeof newWidget>[1] = {}) {
  const bench = await openWidgets(change);
  const { object } = await bench.kind.verbs.create(callerContext(), newWidget('w', sent), testWriteOptions);
  return { ...bench, object };
}

/** Returns a copy of an object that was read, with these changes. */
function changed(object: KubeObject, metadata: JsonObject, rest: JsonObject = {}): KubeObject {
  return { ...object, ...rest, metadata: { ...object.metadata, ...metadata } } as KubeObject;
}

describe('update', () => {
  it('an update replaces the object and returns it (UPDATE-01, UPDATE-16)', async () => {
    const { kind, object } = await withWidget(
      {},
      { metadata: { labels: { l: '1' } }, spec: { color: 'red', size: 3 } },
    );
    const { labels: _, ...metadata } = object.metadata;
    const written = await kind.verbs.update(
      callerContext(),
      'w',
      { ...object, metadata, spec: { color: 'blue' } },
      testWriteOptions,
    );
    expect(written).toMatchObject({ created: false, object: { spec: { color: 'blue' } } });
    expect(written.object.spec).not.toHaveProperty('size');
    expect(written.object.metadata).not.toHaveProperty('labels');
    expect(written.object.metadata.resourceVersion).toBe('3');
  });

  it('name and namespace must match the URL (UPDATE-02, UPDATE-03, UPDATE-04)', async () => {
    const { kind, object } = await withWidget();
    const refused = async (metadata: JsonObject) =>
      (await rejectionStatus(kind.verbs.update(callerContext(), 'w', changed(object, metadata), testWriteOptions)))
        .message;
    expect(await refused({ name: '' })).toBe(
      'the name of the object (w based on URL) was undeterminable: name must be provided',
    );
    expect(await refused({ name: 'v' })).toBe('the name of the object (v) does not match the name on the URL (w)');
    expect(await refused({ namespace: 'b' })).toBe(
      'the namespace of the provided object does not match the namespace sent on the request',
    );
  });

  it('a resourceVersion is required, unless the kind allows unconditional updates (UPDATE-05)', async () => {
    const { kind, object } = await withWidget();
    for (const resourceVersion of ['', '0']) {
      expect(
        await rejectionStatus(
          kind.verbs.update(callerContext(), 'w', changed(object, { resourceVersion }), testWriteOptions),
        ),
      ).toMatchObject({
        code: 422,
        message:
          'widgets.test.example "w" is invalid: metadata.resourceVersion: Invalid value: 0: must be specified for an update',
        details: { kind: 'widgets' },
      });
    }
    const free = await withWidget({ unconditionalUpdate: true });
    const sent = changed(free.object, { resourceVersion: '' }, { spec: { color: 'red' } });
    expect((await free.kind.verbs.update(callerContext(), 'w', sent, testWriteOptions)).object.spec).toEqual({
      color: 'red',
    });
  });

  it('a stale or invalid resourceVersion is rejected (UPDATE-06, UPDATE-23)', async () => {
    const { kind, object } = await withWidget();
    const stale = changed(object, { resourceVersion: '1' });
    expect(await rejectionStatus(kind.verbs.update(callerContext(), 'w', stale, testWriteOptions))).toMatchObject({
      code: 409,
      reason: 'Conflict',
      message:
        'Operation cannot be fulfilled on widgets.test.example "w": the object has been modified; please apply your changes to the latest version and try again',
    });
    const odd = changed(object, { resourceVersion: 'x' });
    expect(await rejectionStatus(kind.verbs.update(callerContext(), 'w', odd, testWriteOptions))).toMatchObject({
      code: 400,
      message: 'strconv.ParseUint: parsing "x": invalid syntax',
    });
  });

  it('a different uid is rejected (UPDATE-07)', async () => {
    const { kind, object } = await withWidget();
    const other = changed(object, { uid: 'other' });
    const { code, message } = await rejectionStatus(kind.verbs.update(callerContext(), 'w', other, testWriteOptions));
    expect(code).toBe(409);
    expect(message).toBe(
      `Operation cannot be fulfilled on widgets.test.example "w": StorageError: invalid object, Code: 4, Key: /registry/test.example/widgets/a/w, ResourceVersion: 0, AdditionalErrorMsg: Precondition failed: UID in precondition: other, UID in object meta: ${object.metadata.uid}`,
    );
  });

  it('an update creates an object only if the kind allows it and the caller has the permission to create (UPDATE-08, UPDATE-09)', async () => {
    const { kind, object } = await withWidget();
    const missing = changed(object, { name: 'v' });
    expect(await rejectionStatus(kind.verbs.update(callerContext(), 'v', missing, testWriteOptions))).toMatchObject({
      code: 404,
    });
    const open = await openWidgets({ createOnUpdate: true });
    const may = () => false;
    expect(
      await rejectionStatus(open.kind.verbs.update(callerContext({ may }), 'v', newWidget('v'), testWriteOptions)),
    ).toMatchObject({
      code: 403,
      message:
        'widgets.test.example "v" is forbidden: User "jane" cannot create resource "widgets" in API group "test.example" in the namespace "a"',
    });
    const withUid = newWidget('v', { metadata: { uid: 'u' } });
    const { code, message } = await rejectionStatus(
      open.kind.verbs.update(callerContext(), 'v', withUid, testWriteOptions),
    );
    expect([code, message?.endsWith('UID in precondition: u, UID in object meta: ')]).toEqual([409, true]);
    expect((await open.kind.verbs.update(callerContext(), 'v', newWidget('v'), testWriteOptions)).created).toBe(true);
  });

  it('only changes outside of metadata and status increment the generation (UPDATE-10, UPDATE-11)', async () => {
    const { kind, object } = await withWidget({}, { spec: { color: 'red' } });
    const labelled = await kind.verbs.update(
      callerContext(),
      'w',
      changed(object, { labels: { l: '1' }, generation: 9 }),
      testWriteOptions,
    );
    expect(labelled.object.metadata).toMatchObject({ generation: 1, resourceVersion: '3' });
    const painted = changed(labelled.object, {}, { spec: { color: 'blue' }, status: { phase: 'Ready' } });
    const { object: blue } = await kind.verbs.update(callerContext(), 'w', painted, testWriteOptions);
    expect(blue.metadata.generation).toBe(2);
    expect(blue).not.toHaveProperty('status');
    const whole = await withWidget({ hasStatus: false });
    const ready = changed(whole.object, {}, { status: { phase: 'Ready' } });
    expect(
      (await whole.kind.verbs.update(callerContext(), 'w', ready, testWriteOptions)).object.metadata.generation,
    ).toBe(2);
  });

  it('immutable metadata is restored (UPDATE-12)', async () => {
    const { kind, object } = await withWidget();
    const sent = changed(object, { creationTimestamp: '2000-01-01T00:00:00Z', uid: '', labels: { l: '1' } });
    const { object: after } = await kind.verbs.update(callerContext(), 'w', sent, testWriteOptions);
    expect(after.metadata).toMatchObject({
      creationTimestamp: object.metadata.creationTimestamp,
      uid: object.metadata.uid,
    });
  });

  it('an update neither sets, unsets nor moves a deletion (UPDATE-12, UPDATE-13, §2.1 of the completions)', async () => {
    const { kind, object } = await withWidget({}, { metadata: { finalizers: ['x.example/f'] } });
    const alive = changed(object, { deletionTimestamp: '2030-01-01T00:00:00Z' });
    const { code, message } = await rejectionStatus(kind.verbs.update(callerContext(), 'w', alive, testWriteOptions));
    expect([code, message]).toEqual([
      422,
      'Widget.test.example "w" is invalid: metadata.deletionTimestamp: Invalid value: "2030-01-01T00:00:00Z": field is immutable',
    ]);
    await kind.verbs.delete(callerContext(), 'w', testDeleteOptions({ gracePeriodSeconds: 60 }));
    const dying = (await kind.verbs.get(callerContext(), 'w', testGetOptions)).object;
    const { deletionTimestamp, deletionGracePeriodSeconds, ...metadata } = dying.metadata;
    const unset = { ...dying, metadata } as KubeObject;
    const moved = changed(dying, { deletionTimestamp: '2030-01-01T00:00:00Z' });
    for (const sent of [unset, moved]) {
      const { object: after } = await kind.verbs.update(callerContext(), 'w', sent, testWriteOptions);
      expect(after.metadata).toMatchObject({ deletionTimestamp, deletionGracePeriodSeconds });
      expect(after.metadata.resourceVersion).toBe(dying.metadata.resourceVersion);
    }
    const other = changed(dying, { deletionGracePeriodSeconds: 5 });
    expect((await rejectionStatus(kind.verbs.update(callerContext(), 'w', other, testWriteOptions))).message).toContain(
      'metadata.deletionGracePeriodSeconds: Invalid value: 5: field is immutable',
    );
  });

  it('an update without a change keeps the resourceVersion (UPDATE-15, SSA-26)', async () => {
    const { kind, object, clock } = await withWidget({}, { spec: { color: 'red' } });
    clock.advance(60_000);
    const again = await kind.verbs.update(callerContext(), 'w', object, testWriteOptions);
    expect(again.object).toBe(kind.peek('a', 'w')?.object);
    expect(again.object.metadata.resourceVersion).toBe('2');
  });

  it('a new finalizer on an object that is being deleted is rejected (UPDATE-17, DELETE-21)', async () => {
    const { kind } = await withWidget({}, { metadata: { finalizers: ['x.example/f'] } });
    await kind.verbs.delete(callerContext(), 'w', testDeleteOptions());
    const dying = (await kind.verbs.get(callerContext(), 'w', testGetOptions)).object;
    const sent = changed(dying, { finalizers: ['x.example/f', 'x.example/g'] });
    expect((await rejectionStatus(kind.verbs.update(callerContext(), 'w', sent, testWriteOptions))).message).toBe(
      'Widget.test.example "w" is invalid: metadata.finalizers: Forbidden: no new finalizers can be added if the object is being deleted, found new finalizers []string{"x.example/g"}',
    );
  });

  it('an update that removes the last finalizer removes the object (UPDATE-18, UPDATE-19)', async () => {
    const { kind } = await withWidget({}, { metadata: { finalizers: ['x.example/f'] }, spec: { color: 'red' } });
    await kind.verbs.delete(callerContext(), 'w', testDeleteOptions());
    const dying = (await kind.verbs.get(callerContext(), 'w', testGetOptions)).object;
    const painted = await kind.verbs.update(
      callerContext(),
      'w',
      changed(dying, {}, { spec: { color: 'blue' } }),
      testWriteOptions,
    );
    expect(painted.object.metadata.generation).toBe(3);
    const tried = await kind.verbs.update(callerContext(), 'w', changed(painted.object, { finalizers: [] }), dryRun);
    expect(tried.object.metadata.finalizers).toBeUndefined();
    expect(kind.peek('a', 'w')).toBeDefined();
    const { object } = await kind.verbs.update(
      callerContext(),
      'w',
      changed(painted.object, { finalizers: [] }),
      testWriteOptions,
    );
    expect(object.metadata.deletionTimestamp).toBeDefined();
    expect(object.metadata).not.toHaveProperty('finalizers');
    expect(object.metadata.resourceVersion).toBe(painted.object.metadata.resourceVersion);
    expect(kind.peek('a', 'w')).toBeUndefined();
  });

  it('an object stays until its grace period is over, with or without finalizers (§2.1 of the completions)', async () => {
    const { kind, clock } = await withWidget({}, { metadata: { finalizers: ['x.example/f'] } });
    await kind.verbs.delete(callerContext(), 'w', testDeleteOptions({ gracePeriodSeconds: 30 }));
    const dying = (await kind.verbs.get(callerContext(), 'w', testGetOptions)).object;
    await kind.verbs.update(callerContext(), 'w', changed(dying, { finalizers: [] }), testWriteOptions);
    expect(kind.peek('a', 'w')).toBeDefined();
    await kind.handleDeadline('a', 'w');
    expect(kind.peek('a', 'w')).toBeDefined();
    clock.advance(30_000);
    await kind.handleDeadline('a', 'w');
    expect(kind.peek('a', 'w')).toBeUndefined();
  });

  it('a dry run returns the old resourceVersion and the same errors (UPDATE-20)', async () => {
    const { kind, object } = await withWidget({}, { spec: { color: 'red' } });
    const tried = await kind.verbs.update(
      callerContext(),
      'w',
      changed(object, {}, { spec: { color: 'blue' } }),
      dryRun,
    );
    expect(tried.object).toMatchObject({ metadata: { resourceVersion: '2', generation: 2 }, spec: { color: 'blue' } });
    expect(kind.peek('a', 'w')?.object.spec).toEqual({ color: 'red' });
    expect(
      await rejectionStatus(kind.verbs.update(callerContext(), 'w', changed(object, { resourceVersion: '1' }), dryRun)),
    ).toMatchObject({
      code: 409,
    });
    expect(
      await rejectionStatus(
        kind.verbs.update(callerContext(), 'w', changed(object, {}, { spec: { size: 0 } }), dryRun),
      ),
    ).toMatchObject({
      code: 422,
    });
  });

  it('one of several writers of the same version succeeds (UPDATE-24)', async () => {
    const { kind, object } = await withWidget();
    const results = await Promise.allSettled(
      ['red', 'blue', 'green'].map((color) =>
        kind.verbs.update(callerContext(), 'w', changed(object, {}, { spec: { color } }), testWriteOptions),
      ),
    );
    expect(results.map((result) => result.status).sort()).toEqual(['fulfilled', 'rejected', 'rejected']);
  });

  it('an invalid value from before that is unchanged is accepted (META-23)', async () => {
    const { kind, store, clock } = await withWidget({}, { spec: { color: 'red' } });
    const properties = {
      spec: {
        type: 'object' as const,
        properties: { color: { type: 'string' as const, maxLength: 2 }, size: { type: 'integer' as const } },
      },
    };
    const stricter = await openWidgets({ schema: { type: 'object', properties } }, { store, clock });
    const object = kind.peek('a', 'w')?.object ?? newWidget('w');
    const sized = changed(object, {}, { spec: { color: 'red', size: 4 } });
    const { object: after } = await stricter.kind.verbs.update(callerContext(), 'w', sized, testWriteOptions);
    expect(after.spec).toEqual({ color: 'red', size: 4 });
    const painted = changed(after, {}, { spec: { color: 'blue', size: 4 } });
    expect(
      await rejectionStatus(stricter.kind.verbs.update(callerContext(), 'w', painted, testWriteOptions)),
    ).toMatchObject({ code: 422 });
  });

  it('clients cannot remove the server finalizer, the server can (§3 of the completions)', async () => {
    const { kind, object } = await withWidget({ serverFinalizer: 'x.example/cleanup' });
    const without = changed(object, { finalizers: [] });
    const kept = await kind.verbs.update(callerContext(), 'w', without, testWriteOptions);
    expect(kept.object.metadata).toMatchObject({ finalizers: ['x.example/cleanup'], resourceVersion: '2' });
    await kind.verbs.delete(callerContext(), 'w', testDeleteOptions());
    const patch = { type: 'merge', document: { metadata: { finalizers: null } }, findings: [] } as const;
    await kind.verbs.patch(callerContext(), 'w', patch, testPatchOptions);
    expect(kind.peek('a', 'w')).toBeDefined();
    await kind.verbs.patch(serverContext(), 'w', patch, testPatchOptions);
    expect(kind.peek('a', 'w')).toBeUndefined();
  });

  it('hooks see the old record, and the hidden part is kept', async () => {
    const { kind, object } = await withWidget({
      prepare(draft) {
        draft.hidden.writes = Number(draft.hidden.writes ?? 0) + (draft.old === undefined ? 1 : 10);
      },
    });
    await kind.verbs.update(callerContext(), 'w', changed(object, {}, { spec: { color: 'red' } }), testWriteOptions);
    expect(kind.peekHidden('a', 'w')).toEqual({ writes: 11 });
  });
});

describe('status', () => {
  it('a status update changes only the status and does not increment the generation (STATUS-02, STATUS-03, STATUS-06)', async () => {
    const { kind, object } = await withWidget({}, { spec: { color: 'red' } });
    const sent = changed(
      object,
      { labels: { l: '1' }, finalizers: ['x.example/f'] },
      {
        spec: { color: 'blue' },
        status: { phase: 'Ready' },
      },
    );
    const written = await kind.status?.update(callerContext(), 'w', sent, {
      ...testWriteOptions,
      fieldManager: 'controller',
    });
    expect(written?.object).toMatchObject({
      spec: { color: 'red' },
      status: { phase: 'Ready' },
      metadata: { generation: 1, resourceVersion: '3' },
    });
    expect(written?.object.metadata).not.toHaveProperty('labels');
    expect(written?.object.metadata).not.toHaveProperty('finalizers');
    expect(written?.object.metadata.managedFields).toContainEqual(
      expect.objectContaining({
        manager: 'controller',
        subresource: 'status',
        fieldsV1: { 'f:status': { '.': {}, 'f:phase': {} } },
      }),
    );
  });

  it('an update of the object keeps the status (STATUS-03)', async () => {
    const { kind, object } = await withWidget();
    const ready = await kind.status?.update(
      callerContext(),
      'w',
      changed(object, {}, { status: { phase: 'Ready' } }),
      testWriteOptions,
    );
    const sent = changed(ready?.object ?? object, {}, { spec: { color: 'red' }, status: { phase: 'Forged' } });
    expect((await kind.verbs.update(callerContext(), 'w', sent, testWriteOptions)).object.status).toEqual({
      phase: 'Ready',
    });
    const patch = { type: 'merge', document: { status: null }, findings: [] } as const;
    expect((await kind.verbs.patch(callerContext(), 'w', patch, testPatchOptions)).object.status).toEqual({
      phase: 'Ready',
    });
  });

  it('a status update needs a resourceVersion and an existing object (STATUS-04, STATUS-07)', async () => {
    const { kind, object } = await withWidget({ createOnUpdate: true });
    const without = changed(object, { resourceVersion: '' });
    expect(
      await rejectionStatus(kind.status?.update(callerContext(), 'w', without, testWriteOptions) ?? Promise.resolve()),
    ).toMatchObject({
      code: 422,
    });
    expect(
      await rejectionStatus(
        kind.status?.update(callerContext(), 'v', newWidget('v'), testWriteOptions) ?? Promise.resolve(),
      ),
    ).toMatchObject({
      code: 404,
    });
    const apply = { type: 'apply', object: newWidget('v', { status: { phase: 'x' } }) } as const;
    expect(
      await rejectionStatus(kind.status?.patch(callerContext(), 'v', apply, testPatchOptions) ?? Promise.resolve()),
    ).toMatchObject({
      code: 404,
    });
  });

  it('a status update is validated against the status schema only (STATUS-05)', async () => {
    const { kind, store, clock, object } = await withWidget({}, { spec: { color: 'red' } });
    const wrong = changed(object, {}, { status: { phase: 5 } });
    expect(
      (await rejectionStatus(kind.status?.update(callerContext(), 'w', wrong, testWriteOptions) ?? Promise.resolve()))
        .message,
    ).toContain('status.phase');
    const schema = {
      type: 'object' as const,
      properties: { spec: { type: 'object' as const, required: ['size'] }, status: { type: 'object' as const } },
    };
    const stricter = await openWidgets({ schema }, { store, clock });
    const sent = changed(object, {}, { status: {} });
    await stricter.kind.status?.update(callerContext(), 'w', sent, testWriteOptions);
  });

  it('a status update calls prepareStatus instead of prepare and validate', async () => {
    const { kind, object } = await withWidget({
      prepareStatus(draft) {
        draft.object.status = { phase: 'Decided' };
      },
    });
    const sent = changed(object, {}, { status: { phase: 'Sent' } });
    expect((await kind.status?.update(callerContext(), 'w', sent, testWriteOptions))?.object.status).toEqual({
      phase: 'Decided',
    });
  });
});
