import type { JsonObject } from '@flotilla/json';
import { describe, expect, it } from 'vitest';
import type { KubeObject } from '../../api/meta.ts';
import { StatusError } from '../../api/status.ts';
import { ManualClock } from '../../lib/clock.ts';
import { silentLog } from '../../lib/log.ts';
import type { RequestContext } from '../../registry/context.ts';
import { openKindStore } from '../../registry/open-kind-store.ts';
import type { PatchOptions } from '../../registry/verbs.ts';
import { openMemoryStore } from '../../store/memory.ts';
import { storedLeases } from './leases.ts';

const writing: PatchOptions = { dryRun: false, fieldManager: 'tester', fieldValidation: 'Strict', force: false };

const context: RequestContext = {
  user: { name: 'jane', groups: [] },
  system: false,
  namespace: 'a',
  signal: new AbortController().signal,
  warn() {},
  may: () => true,
};

function lease(spec?: JsonObject, metadata: JsonObject = {}): KubeObject {
  return {
    apiVersion: 'coordination.k8s.io/v1',
    kind: 'Lease',
    metadata: { name: 'leader', namespace: 'a', ...metadata },
    ...(spec === undefined ? {} : { spec }),
  } as KubeObject;
}

async function open() {
  const clock = new ManualClock();
  const leases = await openKindStore({
    resource: storedLeases,
    store: openMemoryStore({ clock }),
    slice: 'plane',
    clock,
    log: silentLog,
    planeCallbacks: { namespaceState: () => 'active', resolveOwner: () => undefined },
  });
  return leases.verbs;
}

async function refusal(call: Promise<unknown>): Promise<StatusError> {
  const error = await call.catch((thrown: unknown) => thrown);
  if (!(error instanceof StatusError)) throw new Error('was not refused', { cause: error });
  return error;
}

const time = '2026-01-01T00:00:00.000001Z';
const held = { holderIdentity: 'one', leaseDurationSeconds: 15, acquireTime: time, renewTime: time };

describe('leases', () => {
  it('let exactly one of several concurrent creates win (CLIENT-23)', async () => {
    const verbs = await open();
    const rivals = ['one', 'two', 'three'].map((holderIdentity) =>
      verbs.create(context, lease({ ...held, holderIdentity }), writing).then(
        () => 'won',
        (error: StatusError) => `${error.code} ${error.status.reason}`,
      ),
    );
    expect((await Promise.all(rivals)).sort()).toEqual(['409 AlreadyExists', '409 AlreadyExists', 'won']);
  });

  it('let exactly one of several updates of the same version win (CLIENT-14, CLIENT-23)', async () => {
    const verbs = await open();
    const { object } = await verbs.create(context, lease(held), writing);
    const { resourceVersion = '' } = object.metadata;
    const rivals = ['two', 'three'].map((holderIdentity) =>
      verbs.update(context, 'leader', lease({ ...held, holderIdentity }, { resourceVersion }), writing).then(
        () => 'won',
        (error: StatusError) => `${error.code} ${error.status.reason}`,
      ),
    );
    expect((await Promise.all(rivals)).sort()).toEqual(['409 Conflict', 'won']);
  });

  it('are not overwritten without a resourceVersion, and are created by PUT if they do not exist (UPDATE-08)', async () => {
    const verbs = await open();
    expect(await verbs.update(context, 'leader', lease(held), writing)).toMatchObject({ created: true });
    const error = await refusal(verbs.update(context, 'leader', lease(held), writing));
    expect(error.code).toBe(422);
    expect(error.message).toContain('metadata.resourceVersion: Invalid value');
    const denied: RequestContext = { ...context, may: () => false };
    expect((await refusal(verbs.update(denied, 'x', lease(held, { name: 'x' }), writing))).code).toBe(403);
  });

  it('are not recreated by a PUT that refers to a deleted one (UPDATE-09)', async () => {
    const verbs = await open();
    const error = await refusal(verbs.update(context, 'leader', lease(held, { uid: 'gone' }), writing));
    expect(error.code).toBe(409);
    expect(error.message).toContain('Precondition failed: UID in precondition: gone, UID in object meta: ');
  });

  it('require a duration above 0 and at least 0 transitions', async () => {
    const verbs = await open();
    const error = await refusal(
      verbs.create(context, lease({ leaseDurationSeconds: 0, leaseTransitions: -1 }), writing),
    );
    expect(error.code).toBe(422);
    expect(error.status.details?.causes).toEqual([
      {
        reason: 'FieldValueInvalid',
        message: 'Invalid value: 0: must be greater than 0',
        field: 'spec.leaseDurationSeconds',
      },
      {
        reason: 'FieldValueInvalid',
        message: 'Invalid value: -1: must be greater than or equal to 0',
        field: 'spec.leaseTransitions',
      },
    ]);
  });

  it('have times in UTC with six digits, and refuse other formats as undecodable (META-14)', async () => {
    const verbs = await open();
    const renewed = { ...held, renewTime: '2026-01-01T02:00:00.000002+02:00' };
    const { object } = await verbs.create(context, lease(renewed), writing);
    expect(object.spec).toEqual({ ...held, renewTime: '2026-01-01T00:00:00.000002Z' });
    const error = await refusal(
      verbs.create(context, lease({ acquireTime: '2026-01-01T00:00:00Z' }, { name: 'x' }), writing),
    );
    expect(error.code).toBe(400);
    expect(error.message).toBe(
      'Lease in version "v1" cannot be handled as a Lease: parsing time "2026-01-01T00:00:00Z" as "2006-01-02T15:04:05.000000Z07:00": cannot parse "Z" as ".000000"',
    );
  });

  it('have a spec even if none was sent, and no strategy even if one was sent', async () => {
    const verbs = await open();
    expect((await verbs.create(context, lease(), writing)).object.spec).toEqual({});
    const coordinated = lease({ strategy: 'OldestEmulationVersion', preferredHolder: 'two' }, { name: 'x' });
    expect((await verbs.create(context, coordinated, writing)).object.spec).toEqual({});
  });
});
