import { describe, expect, it } from 'vitest';
import type { VirtualClusterInstance } from '../api/management/v1/virtual-cluster-instance.ts';
import type { ObjectMeta } from '../api/meta.ts';
import { StatusError } from '../api/status.ts';
import type { Plane } from '../http/plane.ts';
import { ManualClock } from '../lib/clock.ts';
import { type AccessStatus, createInstanceAccess, type GatewayCluster } from './instance-access.ts';
import { createActivityLog } from './instance-activity.ts';
import { virtualClusterType } from './instance-type.ts';

const plane = { id: 'vc-v1' } as Plane;
const inside = { plane, authorize: () => ({ allowed: true, reason: '' }), serve: () => Promise.reject(new Error()) };
const never = new AbortController().signal;
const tick = () => new Promise((resolve) => setImmediate(resolve));

function setUp(overrides: Partial<AccessStatus> | undefined = {}) {
  const clock = new ManualClock(1_000_000);
  const activity = createActivityLog(clock);
  const state = { uid: 'v1', owner: 'i1', access: 'open', ...overrides } as AccessStatus;
  const seen = { woken: 0, entered: 0, left: 0 };
  const at = { found: overrides === undefined ? undefined : state };
  let open: () => void = () => {};
  const closing = new AbortController();
  const latest: { instance: VirtualClusterInstance | undefined } = { instance: instance() };
  const cluster: GatewayCluster = {
    statusAt: () => at.found,
    async openSession() {
      seen.entered++;
      return { target: inside, signal: closing.signal, close: () => seen.left++ };
    },
    async wake() {
      seen.woken++;
    },
    whenUsable: (_place, signal) =>
      new Promise((resolve, reject) => {
        open = resolve;
        signal.addEventListener('abort', () => reject(signal.reason), { once: true });
      }),
    authenticateServiceAccount: async () => undefined,
  };
  const doors = createInstanceAccess({
    type: virtualClusterType,
    clusterOf: (name) => (name === 'local' ? cluster : undefined),
    latest: () => latest.instance,
    activity,
    sleepsFromInactivity: ({ status }) => status?.reason === 'NotUsed',
    clock,
  });
  return { clock, activity, doors, seen, at, closing, latest, open: () => open() };
}

const ready = { phase: 'Ready', serviceUID: 'v1', deployHash: 'x' };

function instance(
  change: Pick<VirtualClusterInstance, 'spec' | 'status'> = {},
  metadata: ObjectMeta = {},
): VirtualClusterInstance {
  return {
    apiVersion: 'v1',
    kind: 'VirtualClusterInstance',
    metadata: { name: 'demo', uid: 'i1', ...metadata },
    spec: { clusterRef: { cluster: 'local', namespace: 'n', virtualCluster: 'v' } },
    status: ready,
    ...change,
  };
}

const refused = async (entering: Promise<unknown>): Promise<readonly [number, string]> => {
  try {
    await entering;
  } catch (error) {
    if (error instanceof StatusError) return [error.code, error.message];
    throw error;
  }
  throw new Error('it was let in');
};

describe('access to an instance', () => {
  it('records a use at the start and at the end of a session', async () => {
    const { doors, seen, activity, clock } = setUp();
    const used: string[] = [];
    activity.onActivity((uid) => used.push(uid));
    const session = await doors.openSession(instance(), () => never);
    expect([session.target.plane, seen.entered]).toEqual([plane, 1]);
    clock.advance(5_000);
    session.close();
    await tick();
    expect(seen.left).toBe(1);
    expect(used).toEqual(['i1', 'i1']);
    expect(activity.lastActivity('i1')).toBe(1_005_000);
    activity.forget('i1');
    expect(activity.lastActivity('i1')).toBeUndefined();
  });

  it('counts an interactive session as a use for as long as it is open', async () => {
    const { doors, activity, clock } = setUp();
    const sessions = [
      await doors.openSession(instance(), () => never, 'continuous'),
      await doors.openSession(instance(), () => never),
    ];
    clock.advance(500_000);
    expect(activity.lastActivity('i1')).toBe(1_500_000);
    for (const session of sessions) session.close();
    await tick();
    clock.advance(500_000);
    expect(activity.lastActivity('i1')).toBe(1_500_000);
  });

  it('records no use for a session that only displays the instance, and neither wakes nor awaits it', async () => {
    const { doors, activity, at } = setUp();
    const session = await doors.openSession(instance(), () => never, 'none');
    session.close();
    await tick();
    expect(activity.lastActivity('i1')).toBeUndefined();
    at.found = { uid: 'v1', owner: 'i1', access: 'asleep' };
    expect(await refused(doors.openSession(instance(), () => never, 'none'))).toEqual([
      503,
      'the virtual cluster "demo" is asleep, and viewing it in the console does not wake it. Wake it on its page',
    ]);
    at.found = { uid: 'v1', owner: 'i1', access: 'opening' };
    expect((await refused(doors.openSession(instance(), () => never, 'none')))[0]).toBe(503);
    expect(activity.lastActivity('i1')).toBeUndefined();
  });

  it('is denied until the virtual cluster and the roles in it are known', async () => {
    const status = { phase: 'Pending', message: 'It is on its way.' };
    const template = { clusterRef: { cluster: 'local' }, templateRef: { name: 't' } };
    for (const shut of [
      instance({ status }),
      instance({ status: { ...status, serviceUID: 'v1' } }),
      instance({ status: { ...status, serviceUID: 'another', deployHash: 'x' } }),
      instance({ status: { ...status, serviceUID: 'v1', deployHash: 'x' }, spec: template }),
      instance({ status, spec: {} }),
    ]) {
      const { doors, seen } = setUp();
      expect(await refused(doors.openSession(shut, () => never))).toEqual([
        503,
        'the virtual cluster "demo" is not ready: It is on its way.',
      ]);
      expect(seen.entered).toBe(0);
    }
  });

  it('is possible for the repair of an instance that failed later', async () => {
    const { doors } = setUp();
    const failed = instance({ status: { phase: 'Failed', serviceUID: 'v1' } });
    expect((await doors.openSession(failed, () => never)).target.plane).toBe(plane);
  });

  it('is denied when the instance or its virtual cluster is deleted', async () => {
    const gone = instance({}, { deletionTimestamp: '2030-01-01T00:00:00Z' });
    expect((await refused(setUp().doors.openSession(gone, () => never)))[0]).toBe(503);
    expect((await refused(setUp({ access: 'closing' }).doors.openSession(instance(), () => never)))[1]).toMatch(
      /being removed/,
    );
  });

  it('wakes a sleeping instance and waits for it up to a timeout', async () => {
    const one = setUp({ access: 'asleep' });
    const entering = one.doors.openSession(instance(), () => never);
    await tick();
    expect(one.seen).toMatchObject({ woken: 1, entered: 0 });
    one.open();
    expect((await entering).target.plane).toBe(plane);

    const late = setUp({ access: 'asleep' });
    const waiting = refused(late.doors.openSession(instance(), () => never));
    await tick();
    late.clock.advance(9_000);
    expect(late.activity.lastActivity('i1')).toBe(1_009_000);
    late.clock.advance(1_001);
    expect(await waiting).toEqual([503, expect.stringMatching(/is waking up; try again/)]);
    expect(late.seen.entered).toBe(0);
  });

  it('waits for an instance that is already starting, without waking it', async () => {
    const { doors, seen, open, clock } = setUp({ access: 'opening' });
    const entering = doors.openSession(instance(), () => never);
    await tick();
    expect(seen).toMatchObject({ woken: 0, entered: 0 });
    open();
    expect((await entering).target.plane).toBe(plane);
    const late = refused(doors.openSession(instance({ status: { ...ready, message: 'A pod starts.' } }), () => never));
    await tick();
    clock.advance(10_001);
    expect(await late).toEqual([503, expect.stringMatching(/is not ready/)]);
    // The next request fails immediately, until the pause is over.
    expect((await refused(doors.openSession(instance(), () => never)))[0]).toBe(503);
    clock.advance(30_000);
    const again = doors.openSession(instance(), () => never);
    await tick();
    open();
    await again;
  });

  it('ends the wait of an aborted request', async () => {
    const { doors, seen } = setUp({ access: 'asleep' });
    const ending = new AbortController();
    const entering = doors.openSession(instance(), () => ending.signal);
    await tick();
    ending.abort(new Error('gone away'));
    await expect(entering).rejects.toThrow('gone away');
    expect(seen.entered).toBe(0);
  });

  it('is denied to a different virtual cluster that replaced the woken one', async () => {
    const { doors, at, open } = setUp({ access: 'asleep' });
    const entering = refused(doors.openSession(instance(), () => never));
    await tick();
    at.found = { uid: 'v2', owner: '', access: 'open' };
    open();
    expect((await entering)[0]).toBe(503);
  });

  it('does not wake an instance that sleeps on request', async () => {
    const external = instance({ spec: { clusterRef: { cluster: 'local' }, external: true } });
    for (const [sleeping, owner] of [
      [instance({}, { annotations: { 'sleepmode.platform.sh/force': 'true' } }), 'i1'],
      [external, 'i1'],
      [instance(), ''],
    ] as const) {
      const { doors, seen } = setUp({ access: 'asleep', owner });
      expect(await refused(doors.openSession(sleeping, () => never))).toEqual([
        503,
        expect.stringMatching(/is asleep/),
      ]);
      expect(seen).toMatchObject({ woken: 0, entered: 0 });
    }
    const inactive = setUp({ access: 'asleep', owner: '' });
    const status = { phase: 'Sleeping', reason: 'NotUsed', serviceUID: 'v1', deployHash: 'x' };
    void inactive.doors.openSession(instance({ status }), () => never);
    await tick();
    expect(inactive.seen.woken).toBe(1);
  });

  it('serves an instance that is to sleep, if the server has refused to put it to sleep', async () => {
    const { doors, seen } = setUp({ access: 'open' });
    const conditions = [{ type: 'SleepKeepsData', status: 'False', reason: 'SleepRefused' }];
    const forced = instance({}, { annotations: { 'sleepmode.platform.sh/force': 'true' } });
    await refused(doors.openSession(forced, () => never));
    await doors.openSession({ ...forced, status: { ...forced.status, conditions } } as typeof forced, () => never);
    expect(seen.entered).toBe(1);
  });

  it('wakes the instance once for concurrent requests and stops when the last of them is gone', async () => {
    const { doors, seen, clock, open } = setUp({ access: 'asleep' });
    const ending = new AbortController();
    const first = refused(doors.openSession(instance(), () => ending.signal)).catch((error: unknown) => String(error));
    const others = Array.from({ length: 50 }, () => doors.openSession(instance(), () => never));
    await tick();
    ending.abort(new Error('gone away'));
    expect(await first).toMatch(/gone away/);
    open();
    expect((await Promise.all(others)).length).toBe(50);
    expect(seen).toMatchObject({ woken: 1, entered: 50 });
    const last = refused(doors.openSession(instance(), () => never));
    await tick();
    clock.advance(10_001);
    await last;
    const next = refused(doors.openSession(instance(), () => never));
    await tick();
    expect(seen.woken).toBe(3);
    clock.advance(10_001);
    await next;
  });

  it('ends with a message about the instance (completions §3)', async () => {
    const forced = instance({}, { annotations: { 'sleepmode.platform.sh/force': 'true' } });
    for (const [door, now, message] of [
      ['asleep', instance(), /^the virtual cluster "demo" is asleep; the next request wakes it$/],
      ['asleep', forced, /Remove the annotation to wake it$/],
      ['closing', instance(), /is being removed$/],
      ['asleep', undefined, /is being removed$/],
      ['open', instance(), /^what the cluster says$/],
    ] as const) {
      const { doors, at, closing, latest } = setUp();
      const session = await doors.openSession(instance(), () => never);
      const { signal } = session;
      at.found = { uid: 'v1', owner: 'i1', access: door };
      latest.instance = now;
      closing.abort(new Error('what the cluster says'));
      await tick();
      expect((signal.reason as Error).message).toMatch(message);
    }
  });

  it('records no use when a session ends because the instance falls asleep, which would wake it again', async () => {
    const { doors, activity, clock, at, closing, seen } = setUp();
    const session = await doors.openSession(instance(), () => never);
    const { signal } = session;
    const used: string[] = [];
    activity.onActivity((uid) => used.push(uid));
    clock.advance(5_000);
    at.found = { uid: 'v1', owner: 'i1', access: 'asleep' };
    closing.abort(new Error('what the cluster says'));
    await tick();
    expect(signal.aborted).toBe(true);
    session.close();
    expect([used, seen.left]).toEqual([[], 1]);
    expect(activity.lastActivity('i1')).toBe(1_000_000);
  });

  it('records no use when a connection ends with the pods of an instance that falls asleep', async () => {
    const { doors, activity, clock, at } = setUp();
    const session = await doors.openSession(instance(), () => never);
    clock.advance(5_000);
    at.found = { uid: 'v1', owner: 'i1', access: 'asleep' };
    session.close();
    await tick();
    expect(activity.lastActivity('i1')).toBe(1_000_000);
  });

  it('records nothing when a session ends after the instance is gone', async () => {
    const { doors, activity, clock, at } = setUp();
    const session = await doors.openSession(instance(), () => never);
    clock.advance(5_000);
    at.found = undefined;
    activity.forget('i1');
    session.close();
    await tick();
    expect(activity.lastActivity('i1')).toBeUndefined();
  });

  it('is a 501 if the server cannot reach the cluster', async () => {
    const away = instance({ spec: { clusterRef: { cluster: 'far' } } });
    expect((await refused(setUp().doors.openSession(away, () => never)))[0]).toBe(501);
  });
});
