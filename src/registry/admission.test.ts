import { describe, expect, it } from 'vitest';
import { forbidden } from '../api/status.ts';
import type { AdmissionAttributes } from './admission-attributes.ts';
import type { KindStore } from './kind-store.ts';
import {
  callerContext,
  dryRun,
  newWidget,
  openWidgets,
  rejectionStatus,
  serverContext,
  testDeleteOptions,
  testListOptions,
  testPatchOptions,
  testWriteOptions,
} from './widgets.fixture.ts';

async function openAdmitted(admit: (write: AdmissionAttributes) => void | Promise<void>) {
  return openWidgets(
    {},
    {
      planeCallbacks: { namespaceState: () => 'active', resolveOwner: () => undefined, admit },
    },
  );
}

function describeWrite({ operation, subresource, draft, dryRun: isDry, context }: AdmissionAttributes): string {
  const { name } = draft.object.metadata;
  const old = draft.old === undefined ? '' : ' over old';
  return `${operation} ${name}${subresource === '' ? '' : `/${subresource}`}${old}${isDry ? ' dry' : ''} by ${context.user.name}`;
}

const merge = { type: 'merge', document: { spec: { color: 'red' } }, findings: [] } as const;
const applied = { type: 'apply', object: newWidget('applied', { spec: { color: 'blue' } }) } as const;

function statusOf(kind: KindStore): NonNullable<KindStore['status']> {
  if (kind.status === undefined) throw new Error('no status');
  return kind.status;
}

describe('admission', () => {
  it('admission is called for every write of a client, including dry runs and writes without a change', async () => {
    const admitted: string[] = [];
    const { kind } = await openAdmitted((write) => void admitted.push(describeWrite(write)));
    const status = statusOf(kind);
    await kind.verbs.create(callerContext(), newWidget('a'), dryRun);
    await kind.verbs.create(callerContext(), newWidget('a'), testWriteOptions);
    await kind.verbs.update(
      callerContext(),
      'a',
      { ...newWidget('a'), metadata: { name: 'a', resourceVersion: '2' } },
      testWriteOptions,
    );
    await kind.verbs.patch(callerContext(), 'a', merge, testPatchOptions);
    await kind.verbs.patch(callerContext(), 'a', merge, { ...testPatchOptions, subresource: 'scale' });
    await kind.verbs.patch(callerContext(), 'applied', applied, testPatchOptions);
    await status.patch(callerContext(), 'a', { ...merge, document: { status: { phase: 'x' } } }, testPatchOptions);
    await kind.verbs.delete(callerContext(), 'a', testDeleteOptions({ dryRun: true }));
    await kind.verbs.delete(callerContext(), 'a', testDeleteOptions());
    await kind.verbs.deletecollection(callerContext(), testListOptions(), testDeleteOptions());
    expect(admitted).toEqual([
      'CREATE a dry by jane',
      'CREATE a by jane',
      'UPDATE a over old by jane',
      'UPDATE a over old by jane',
      'UPDATE a/scale over old by jane',
      'CREATE applied by jane',
      'UPDATE a/status over old by jane',
      'DELETE a over old dry by jane',
      'DELETE a over old by jane',
      'DELETE applied over old by jane',
    ]);
  });

  it('admission is not called for writes of the server itself', async () => {
    const admitted: string[] = [];
    const { kind } = await openAdmitted((write) => void admitted.push(describeWrite(write)));
    await kind.verbs.create(serverContext(), newWidget('a'), testWriteOptions);
    await kind.verbs.patch(serverContext(), 'a', merge, testPatchOptions);
    await kind.verbs.delete(serverContext(), 'a', testDeleteOptions());
    expect(admitted).toEqual([]);
  });

  it('admission runs after the validation of the kind and before the check for an existing name', async () => {
    const admitted: string[] = [];
    const { kind } = await openAdmitted((write) => {
      admitted.push(describeWrite(write));
      throw forbidden({ group: 'test.example', resource: 'widgets' }, 'a', 'a policy says no');
    });
    expect(
      (
        await rejectionStatus(
          kind.verbs.create(callerContext(), newWidget('a', { spec: { size: 0 } }), testWriteOptions),
        )
      ).code,
    ).toBe(422);
    expect(admitted).toEqual([]);
    await kind.verbs.create(serverContext(), newWidget('a'), testWriteOptions);
    const refused = await rejectionStatus(kind.verbs.create(callerContext(), newWidget('a'), testWriteOptions));
    expect(refused.message).toBe('widgets.test.example "a" is forbidden: a policy says no');
    expect(admitted).toHaveLength(1);
    expect((await rejectionStatus(kind.verbs.delete(callerContext(), 'a', testDeleteOptions()))).code).toBe(403);
    expect(kind.peek('a', 'a')).toBeDefined();
  });

  it('the completion callback runs after the write has succeeded or failed', async () => {
    const ended: (boolean | undefined)[] = [];
    const opened = await openAdmitted(({ draft, onCompleted }) => {
      onCompleted(() => ended.push(opened.kind.peek('a', draft.object.metadata.name ?? '') !== undefined));
    });
    await opened.kind.verbs.create(callerContext(), newWidget('a'), dryRun);
    await opened.kind.verbs.create(callerContext(), newWidget('a'), testWriteOptions);
    await rejectionStatus(opened.kind.verbs.create(callerContext(), newWidget('a'), testWriteOptions));
    expect(ended).toEqual([false, true, true]);
  });

  it('the completion callback runs after admission itself rejects the write, synchronously or later', async () => {
    const ended: string[] = [];
    const no = () => forbidden({ group: 'test.example', resource: 'widgets' }, 'a', 'a policy says no');
    const { kind } = await openAdmitted(({ draft, onCompleted }) => {
      const { name = '' } = draft.object.metadata;
      onCompleted(() => ended.push(name));
      if (name === 'later') return Promise.reject(no());
      throw no();
    });
    for (const name of ['at-once', 'later'])
      await rejectionStatus(kind.verbs.create(callerContext(), newWidget(name), testWriteOptions));
    expect(ended).toEqual(['at-once', 'later']);
  });

  it('managedFields name the subresource of a write', async () => {
    const { kind } = await openWidgets();
    await kind.verbs.create(callerContext(), newWidget('a', { spec: { color: 'blue' } }), testWriteOptions);
    const { object } = await kind.verbs.patch(callerContext(), 'a', merge, {
      ...testPatchOptions,
      subresource: 'scale',
    });
    expect(object.metadata.managedFields?.map((entry) => entry.subresource)).toContain('scale');
  });
});
