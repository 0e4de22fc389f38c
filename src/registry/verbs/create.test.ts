import { describe, expect, it } from 'vitest';
import { conflict } from '../../api/status.ts';
import {
  callerContext,
  dryRun,
  newWidget,
  openWidgets,
  rejectionStatus,
  serverContext,
  testGetOptions,
  testListOptions,
  testWriteOptions,
  wrongValueError,
} from '../widgets.fixture.ts';

describe('create', () => {
  it('a create returns the stored object with its system fields (CREATE-01, CREATE-02, CREATE-03, META-14, META-17)', async () => {
    const { kind } = await openWidgets();
    const sent = newWidget('w', {
      metadata: {
        uid: 'mine',
        creationTimestamp: '2000-01-01T00:00:00Z',
        deletionTimestamp: '2000-01-01T00:00:00Z',
        deletionGracePeriodSeconds: 5,
        generation: 7,
      },
      spec: { color: 'red' },
    });
    const { object } = await kind.verbs.create(callerContext(), sent, testWriteOptions);
    expect(object.metadata).toMatchObject({
      name: 'w',
      namespace: 'a',
      creationTimestamp: '2026-01-01T00:00:00Z',
      generation: 1,
      resourceVersion: '2',
    });
    expect(object.metadata.uid).toMatch(/^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/);
    expect(object.metadata).not.toHaveProperty('deletionTimestamp');
    expect(object.metadata).not.toHaveProperty('deletionGracePeriodSeconds');
    expect(object.spec).toEqual({ color: 'red' });
  });

  it('status is dropped if it is a subresource, and kept otherwise (CREATE-04)', async () => {
    const sent = newWidget('w', { status: { phase: 'Ready' } });
    const split = await openWidgets();
    expect((await split.kind.verbs.create(callerContext(), sent, testWriteOptions)).object).not.toHaveProperty(
      'status',
    );
    const whole = await openWidgets({ hasStatus: false });
    expect((await whole.kind.verbs.create(callerContext(), sent, testWriteOptions)).object.status).toEqual({
      phase: 'Ready',
    });
    expect(whole.kind.status).toBeUndefined();
  });

  it('labels, annotations, finalizers and owners are stored, and empty members are dropped (CREATE-05, META-19)', async () => {
    const { kind } = await openWidgets();
    const owner = { apiVersion: 'v1', kind: 'Thing', name: 'o', uid: 'u' };
    const kept = { labels: { l: '1' }, annotations: { n: '2' }, finalizers: ['x.example/f'], ownerReferences: [owner] };
    const { object } = await kind.verbs.create(callerContext(), newWidget('w', { metadata: kept }), testWriteOptions);
    expect(object.metadata).toMatchObject(kept);
    const empty = await kind.verbs.create(
      callerContext(),
      newWidget('v', { metadata: { labels: {}, annotations: {}, finalizers: [], ownerReferences: [] } }),
      testWriteOptions,
    );
    for (const member of ['labels', 'annotations', 'finalizers', 'ownerReferences']) {
      expect(empty.object.metadata).not.toHaveProperty(member);
    }
  });

  it('the sent fields are owned by the given field manager (CREATE-07)', async () => {
    const { kind } = await openWidgets();
    const { object } = await kind.verbs.create(
      callerContext(),
      newWidget('w', { spec: { color: 'red' } }),
      testWriteOptions,
    );
    expect(object.metadata.managedFields).toMatchObject([
      {
        manager: 'tester',
        operation: 'Update',
        time: '2026-01-01T00:00:00Z',
        fieldsV1: { 'f:spec': { 'f:color': {} } },
      },
    ]);
  });

  it('a resourceVersion above zero is rejected (CREATE-10)', async () => {
    const { kind } = await openWidgets();
    const withVersion = (resourceVersion: string) => newWidget('w', { metadata: { resourceVersion } });
    expect(
      await rejectionStatus(kind.verbs.create(callerContext(), withVersion('12'), testWriteOptions)),
    ).toMatchObject({
      code: 400,
      message: 'resourceVersion should not be set on objects to be created',
    });
    await kind.verbs.create(callerContext(), withVersion('12'), dryRun);
    await kind.verbs.create(callerContext(), withVersion('0'), testWriteOptions);
    const other = newWidget('v', { metadata: { resourceVersion: 'abc' } });
    expect((await kind.verbs.create(callerContext(), other, testWriteOptions)).object.metadata.resourceVersion).toBe(
      '3',
    );
  });

  it('the namespace defaults to that of the URL, and another one is rejected (CREATE-11)', async () => {
    const { kind } = await openWidgets();
    const elsewhere = newWidget('w', { metadata: { namespace: 'b' } });
    expect(await rejectionStatus(kind.verbs.create(callerContext(), elsewhere, testWriteOptions))).toMatchObject({
      code: 400,
      message: 'the namespace of the provided object does not match the namespace sent on the request',
    });
    const cluster = await openWidgets({ namespaced: false });
    const created = await cluster.kind.verbs.create(callerContext({ namespace: '' }), elsewhere, testWriteOptions);
    expect(created.object.metadata).not.toHaveProperty('namespace');
  });

  it('generated names have at most 63 characters (CREATE-12)', async () => {
    const { kind } = await openWidgets();
    const named = async (generateName: string) =>
      (await kind.verbs.create(callerContext(), newWidget('', { metadata: { generateName } }), testWriteOptions)).object
        .metadata;
    const short = await named('job-');
    expect(short.name).toMatch(/^job-[bcdfghjklmnpqrstvwxz2456789]{5}$/);
    expect(short.generateName).toBe('job-');
    const long = await named('x'.repeat(80));
    expect(long.name).toMatch(/^x{58}[bcdfghjklmnpqrstvwxz2456789]{5}$/);
    expect(
      (
        await kind.verbs.create(
          callerContext(),
          newWidget('own', { metadata: { generateName: 'job-' } }),
          testWriteOptions,
        )
      ).object.metadata.name,
    ).toBe('own');
  });

  it('name generation gives up after eight attempts (CREATE-13, CREATE-14)', async () => {
    const suffixes = ['aaaaa', ...Array.from({ length: 7 }, () => 'aaaaa'), 'bbbbb'];
    let uid = 0;
    const ids = { uid: () => `uid-${uid++}`, suffix: () => suffixes.shift() ?? 'aaaaa' };
    const { kind } = await openWidgets({}, { ids });
    const sent = newWidget('', { metadata: { generateName: 'job-' } });
    await kind.verbs.create(callerContext(), sent, testWriteOptions);
    expect((await kind.verbs.create(callerContext(), sent, testWriteOptions)).object.metadata.name).toBe('job-bbbbb');
    expect(await rejectionStatus(kind.verbs.create(callerContext(), sent, testWriteOptions))).toMatchObject({
      code: 409,
      reason: 'AlreadyExists',
      message:
        'widgets.test.example "job-aaaaa" already exists, the server was not able to generate a unique name for the object',
      details: { retryAfterSeconds: 1 },
    });
    const explicit = newWidget('job-aaaaa', { metadata: { generateName: 'job-' } });
    expect(await rejectionStatus(kind.verbs.create(callerContext(), explicit, testWriteOptions))).toMatchObject({
      message: expect.stringContaining('not able to generate a unique name'),
    });
  });

  it('a kind with a name prefix generates names, and other kinds require one (CREATE-15)', async () => {
    const { kind } = await openWidgets({ autoName: 'key-' });
    const { object } = await kind.verbs.create(callerContext(), newWidget(''), testWriteOptions);
    expect(object.metadata.name).toMatch(/^key-.{5}$/);
    expect(object.metadata).not.toHaveProperty('generateName');
    const plain = await openWidgets();
    expect(
      await rejectionStatus(plain.kind.verbs.create(callerContext(), newWidget(''), testWriteOptions)),
    ).toMatchObject({
      code: 422,
      message: 'Widget.test.example "" is invalid: metadata.name: Required value: name or generateName is required',
    });
  });

  it('an invalid generateName is rejected (CREATE-16)', async () => {
    const { kind } = await openWidgets();
    const sent = newWidget('', { metadata: { generateName: 'Job-' } });
    const { code, message } = await rejectionStatus(kind.verbs.create(callerContext(), sent, testWriteOptions));
    expect(code).toBe(422);
    expect(message).toContain('metadata.generateName: Invalid value: "Job-"');
  });

  it('a name that exists is rejected, with a hint if that object is being deleted (CREATE-17, CREATE-18)', async () => {
    const { kind } = await openWidgets();
    await kind.verbs.create(
      callerContext(),
      newWidget('w', { metadata: { finalizers: ['x.example/f'] } }),
      testWriteOptions,
    );
    expect(await rejectionStatus(kind.verbs.create(callerContext(), newWidget('w'), testWriteOptions))).toMatchObject({
      code: 409,
      reason: 'AlreadyExists',
      message: 'widgets.test.example "w" already exists',
      details: { name: 'w', group: 'test.example', kind: 'widgets' },
    });
    await kind.verbs.delete(callerContext(), 'w', {
      dryRun: false,
      gracePeriodSeconds: undefined,
      propagationPolicy: undefined,
      preconditions: {},
    });
    expect(await rejectionStatus(kind.verbs.create(callerContext(), newWidget('w'), testWriteOptions))).toMatchObject({
      code: 409,
      message: 'object is being deleted: widgets.test.example "w" already exists',
    });
  });

  it('a missing namespace is reported before the object is validated, also in a dry run (CREATE-19)', async () => {
    const { kind } = await openWidgets();
    for (const options of [testWriteOptions, dryRun]) {
      const call = kind.verbs.create(callerContext({ namespace: 'nowhere' }), newWidget('BAD NAME'), options);
      expect(await rejectionStatus(call)).toMatchObject({
        code: 404,
        message: 'namespaces "nowhere" not found',
        details: { kind: 'namespaces', name: 'nowhere' },
      });
    }
  });

  it('a create in a terminating namespace is rejected (CREATE-20, CREATE-21)', async () => {
    const { kind } = await openWidgets();
    const refused = (sent: ReturnType<typeof newWidget>) =>
      rejectionStatus(kind.verbs.create(callerContext({ namespace: 'closing' }), sent, testWriteOptions));
    expect(await refused(newWidget('w'))).toMatchObject({
      code: 403,
      message:
        'widgets.test.example "w" is forbidden: unable to create new content in namespace closing because it is being terminated',
      details: {
        causes: [
          {
            reason: 'NamespaceTerminating',
            message: 'namespace closing is being terminated',
            field: 'metadata.namespace',
          },
        ],
      },
    });
    expect((await refused(newWidget('', { metadata: { generateName: 'g-' } }))).message).toContain('"g-" is forbidden');
    expect((await refused(newWidget(''))).message).toContain('"Unknown" is forbidden');
  });

  it('a dry run performs all checks and stores nothing (CREATE-24)', async () => {
    const { kind } = await openWidgets();
    const { object } = await kind.verbs.create(callerContext(), newWidget('w'), dryRun);
    expect(object.metadata.uid).toBeDefined();
    expect(object.metadata).not.toHaveProperty('resourceVersion');
    expect(await rejectionStatus(kind.verbs.get(callerContext(), 'w', testGetOptions))).toMatchObject({ code: 404 });
    await kind.verbs.create(callerContext(), newWidget('w'), testWriteOptions);
    expect(await rejectionStatus(kind.verbs.create(callerContext(), newWidget('w'), dryRun))).toMatchObject({
      code: 409,
    });
    expect(await rejectionStatus(kind.verbs.create(callerContext(), newWidget('BAD'), dryRun))).toMatchObject({
      code: 422,
    });
  });

  it('duplicate owner references are removed with a warning (CREATE-27, OWNER-05)', async () => {
    const { kind } = await openWidgets();
    const owner = { apiVersion: 'v1', kind: 'Thing', name: 'o', uid: 'u1' };
    const context = callerContext();
    const sent = newWidget('w', { metadata: { ownerReferences: [owner, { ...owner }] } });
    expect((await kind.verbs.create(context, sent, testWriteOptions)).object.metadata.ownerReferences).toEqual([owner]);
    expect(context.warnings).toEqual([
      '.metadata.ownerReferences contains duplicate entries; API server dedups owner references in 1.20+, and may reject such requests as early as 1.24; please fix your requests; duplicate UID(s) observed: u1',
    ]);
  });

  it('a new finalizer without a domain gets a warning (CREATE-28)', async () => {
    const { kind } = await openWidgets();
    const context = callerContext();
    const finalizers = ['plain', 'with.dot', 'x.example/good', 'orphan'];
    await kind.verbs.create(context, newWidget('w', { metadata: { finalizers } }), testWriteOptions);
    expect(context.warnings).toEqual([
      'metadata.finalizers: "plain": prefer a domain-qualified finalizer name to avoid accidental conflicts with other finalizer writers',
      'metadata.finalizers: "with.dot": prefer a domain-qualified finalizer name including a path (/) to avoid accidental conflicts with other finalizer writers',
    ]);
  });

  it('one of several concurrent creates of a name succeeds (CREATE-30)', async () => {
    const { kind } = await openWidgets();
    const results = await Promise.allSettled(
      Array.from({ length: 20 }, () => kind.verbs.create(callerContext(), newWidget('w'), testWriteOptions)),
    );
    expect(results.filter((result) => result.status === 'fulfilled')).toHaveLength(1);
    const codes = results.flatMap((result) => (result.status === 'rejected' ? [result.reason.code] : []));
    expect(codes).toEqual(Array.from({ length: 19 }, () => 409));
  });

  it('an object that is too large is stored without managedFields, and rejected if it is still too large (CREATE-31)', async () => {
    const { kind } = await openWidgets({}, { limits: { objectBytes: 450 } });
    const { object } = await kind.verbs.create(
      callerContext(),
      newWidget('w', { spec: { color: 'x'.repeat(100) } }),
      testWriteOptions,
    );
    expect(object.metadata).not.toHaveProperty('managedFields');
    const larger = newWidget('v', { spec: { color: 'x'.repeat(500) } });
    expect(await rejectionStatus(kind.verbs.create(callerContext(), larger, testWriteOptions))).toMatchObject({
      code: 413,
      message: 'Request entity too large: limit is 450',
    });
  });

  it('all errors are reported at once (CREATE-32)', async () => {
    const { kind } = await openWidgets({ validate: () => [wrongValueError('spec.color')] });
    const sent = newWidget('BAD', { metadata: { labels: { 'bad key!': 'x' } }, spec: { size: 0 } });
    const { details } = await rejectionStatus(kind.verbs.create(callerContext(), sent, testWriteOptions));
    expect(new Set(details?.causes?.map((cause) => cause.field))).toEqual(
      new Set(['metadata.name', 'metadata.labels', 'spec.size', 'spec.color']),
    );
  });

  it('no hook of the kind is called with members of a wrong type', async () => {
    let called = false;
    const prepare = () => {
      called = true;
    };
    const { kind } = await openWidgets({ prepare });
    const sent = newWidget('w', { spec: { color: 5 } });
    expect(await rejectionStatus(kind.verbs.create(callerContext(), sent, testWriteOptions))).toMatchObject({
      code: 422,
    });
    expect(called).toBe(false);
  });

  it('the server finalizer is added (§3 of the completions)', async () => {
    const { kind } = await openWidgets({ serverFinalizer: 'x.example/cleanup' });
    const { object } = await kind.verbs.create(serverContext(), newWidget('w'), testWriteOptions);
    expect(object.metadata.finalizers).toEqual(['x.example/cleanup']);
  });

  it('a revealed secret is only in the response to its creator, and not in a dry run', async () => {
    const { kind, store } = await openWidgets({
      prepare: (draft) => {
        draft.hidden.hash = 'h4sh';
        draft.reveal = { spec: { key: 's3cret' } };
      },
    });
    const tried = await kind.verbs.create(callerContext(), newWidget('w', { spec: { color: 'red' } }), dryRun);
    expect(tried.json()).not.toContain('s3cret');
    const made = await kind.verbs.create(callerContext(), newWidget('w', { spec: { color: 'red' } }), testWriteOptions);
    expect(made.object.spec).toEqual({ color: 'red', key: 's3cret' });
    expect(made.json()).toContain('s3cret');
    const read = await kind.verbs.get(callerContext(), 'w', testGetOptions);
    expect(read.json()).not.toContain('s3cret');
    expect(read.json()).not.toContain('h4sh');
    expect(kind.peekHidden('a', 'w')).toEqual({ hash: 'h4sh' });
    for await (const row of store.dump()) expect(JSON.stringify(row)).not.toContain('s3cret');
  });
});

describe('claims', () => {
  const claiming = {
    claims: ({ object }: { object: { [member: string]: unknown } }) => [(object.spec as { color: string }).color],
    claimTaken: (claim: string, holder: string) =>
      conflict({ group: 'test.example', resource: 'widgets' }, 'x', `${claim} is held by ${holder}`),
  };

  it('one of several concurrent writers gets a claim', async () => {
    const { kind } = await openWidgets(claiming);
    const results = await Promise.allSettled(
      ['w1', 'w2', 'w3'].map((name) =>
        kind.verbs.create(callerContext(), newWidget(name, { spec: { color: 'red' } }), testWriteOptions),
      ),
    );
    expect(results.filter((result) => result.status === 'fulfilled')).toHaveLength(1);
    expect((await kind.verbs.list(callerContext(), testListOptions())).items).toHaveLength(1);
    const [lost] = results.flatMap((result) => (result.status === 'rejected' ? [result.reason] : []));
    expect(lost.message).toContain(`red is held by a/${kind.byClaim('red')?.object.metadata.name}`);
  });

  it('a dry run reports a taken claim, an update moves a claim, and a delete frees it', async () => {
    const { kind } = await openWidgets(claiming);
    const { object } = await kind.verbs.create(
      callerContext(),
      newWidget('w', { spec: { color: 'red' } }),
      testWriteOptions,
    );
    expect(
      await rejectionStatus(kind.verbs.create(callerContext(), newWidget('v', { spec: { color: 'red' } }), dryRun)),
    ).toMatchObject({
      code: 409,
    });
    const moved = newWidget('w', {
      metadata: { resourceVersion: object.metadata.resourceVersion ?? '' },
      spec: { color: 'blue' },
    });
    await kind.verbs.update(callerContext(), 'w', moved, testWriteOptions);
    expect(kind.byClaim('red')).toBeUndefined();
    expect(kind.byClaim('blue')?.object.metadata.name).toBe('w');
    await kind.verbs.create(callerContext(), newWidget('v', { spec: { color: 'red' } }), testWriteOptions);
    await kind.verbs.delete(callerContext(), 'w', {
      dryRun: false,
      gracePeriodSeconds: 0,
      propagationPolicy: undefined,
      preconditions: {},
    });
    await kind.verbs.create(callerContext(), newWidget('u', { spec: { color: 'blue' } }), testWriteOptions);
    expect(kind.byClaim('blue')?.object.metadata.name).toBe('u');
  });
});
