import { describe, expect, it } from 'vitest';
import type { KubeObject } from '../api/meta.ts';
import { StatusError } from '../api/status.ts';
import type { Plane } from '../http/plane.ts';
import { ManualClock } from '../lib/clock.ts';
import type { JsonObject } from '../lib/json-value.ts';
import { createActivityLog } from './instance-activity.ts';
import { type GatewayCluster, instanceDoors, type Standing } from './instance-doors.ts';

const plane = { id: 'vc-v1' } as Plane;
const inside = { plane, authorize: () => ({ allowed: true, reason: '' }), serve: () => Promise.reject(new Error()) };
const never = new AbortController().signal;
const turn = () => new Promise((resolve) => setImmediate(resolve));

function setUp(standing: Partial<Standing> | undefined = {}) {
  const clock = new ManualClock(1_000_000);
  const activity = createActivityLog(clock);
  const found = { uid: 'v1', owner: 'i1', door: 'open', ...standing } as Standing;
  const seen = { woken: 0, entered: 0, left: 0 };
  const at = { found: standing === undefined ? undefined : found };
  let open: () => void = () => {};
  const closing = new AbortController();
  const latest: { instance: KubeObject | undefined } = { instance: instance() };
  const cluster: GatewayCluster = {
    at: () => at.found,
    async enter() {
      seen.entered++;
      return { inside, signal: closing.signal, leave: () => seen.left++ };
    },
    async wake() {
      seen.woken++;
    },
    opened: (_place, signal) =>
      new Promise((resolve, reject) => {
        open = resolve;
        signal.addEventListener('abort', () => reject(signal.reason), { once: true });
      }),
    account: async () => undefined,
  };
  const doors = instanceDoors({
    clusterOf: (name) => (name === 'local' ? cluster : undefined),
    latest: () => latest.instance,
    activity,
    restsUnused: ({ status }) => (status as JsonObject).reason === 'NotUsed',
    clock,
  });
  return { clock, activity, doors, seen, at, closing, latest, open: () => open() };
}

const ready = { phase: 'Ready', serviceUID: 'v1', deployHash: 'x' };

function instance(change: JsonObject = {}, metadata: JsonObject = {}): KubeObject {
  return {
    apiVersion: 'v1',
    kind: 'VirtualClusterInstance',
    metadata: { name: 'demo', uid: 'i1', ...metadata },
    spec: { clusterRef: { cluster: 'local', namespace: 'n', virtualCluster: 'v' } },
    status: ready,
    ...change,
  } as KubeObject;
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

describe('the door of an instance', () => {
  it('is open, and who goes through it uses the instance, when they come and when they leave', async () => {
    const { doors, seen, activity, clock } = setUp();
    const told: string[] = [];
    activity.onActivity((uid) => told.push(uid));
    const visit = await doors.enter(instance(), () => never);
    expect([visit.inside.plane, seen.entered]).toEqual([plane, 1]);
    clock.advance(5_000);
    visit.leave();
    await turn();
    expect(seen.left).toBe(1);
    expect(told).toEqual(['i1', 'i1']);
    expect(activity.lastActivity('i1')).toBe(1_005_000);
    activity.forget('i1');
    expect(activity.lastActivity('i1')).toBeUndefined();
  });

  it('counts a session as a use for as long as it is open', async () => {
    const { doors, activity, clock } = setUp();
    const visits = [await doors.enter(instance(), () => never, true), await doors.enter(instance(), () => never)];
    clock.advance(500_000);
    expect(activity.lastActivity('i1')).toBe(1_500_000);
    for (const { leave } of visits) leave();
    await turn();
    clock.advance(500_000);
    expect(activity.lastActivity('i1')).toBe(1_500_000);
  });

  it('is shut while it is not known what stands behind it and who is who in there', async () => {
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
      expect(await refused(doors.enter(shut, () => never))).toEqual([
        503,
        'the virtual cluster "demo" cannot be used yet: It is on its way.',
      ]);
      expect(seen.entered).toBe(0);
    }
  });

  it('can be gone through to mend what failed later', async () => {
    const { doors } = setUp();
    const failed = instance({ status: { phase: 'Failed', serviceUID: 'v1' } });
    expect((await doors.enter(failed, () => never)).inside.plane).toBe(plane);
  });

  it('is shut to all when the instance is deleted, or what is behind it is', async () => {
    const gone = instance({}, { deletionTimestamp: '2030-01-01T00:00:00Z' });
    expect((await refused(setUp().doors.enter(gone, () => never)))[0]).toBe(503);
    expect((await refused(setUp({ door: 'closing' }).doors.enter(instance(), () => never)))[1]).toMatch(
      /being removed/,
    );
  });

  it('wakes what sleeps, and waits for it only so long', async () => {
    const one = setUp({ door: 'asleep' });
    const entering = one.doors.enter(instance(), () => never);
    await turn();
    expect(one.seen).toMatchObject({ woken: 1, entered: 0 });
    one.open();
    expect((await entering).inside.plane).toBe(plane);

    const late = setUp({ door: 'asleep' });
    const waiting = refused(late.doors.enter(instance(), () => never));
    await turn();
    late.clock.advance(9_000);
    expect(late.activity.lastActivity('i1')).toBe(1_009_000);
    late.clock.advance(1_001);
    expect(await waiting).toEqual([503, expect.stringMatching(/is being woken: try again/)]);
    expect(late.seen.entered).toBe(0);
  });

  it('waits for what is on its way already, without waking it', async () => {
    const { doors, seen, open, clock } = setUp({ door: 'opening' });
    const entering = doors.enter(instance(), () => never);
    await turn();
    expect(seen).toMatchObject({ woken: 0, entered: 0 });
    open();
    expect((await entering).inside.plane).toBe(plane);
    const late = refused(doors.enter(instance({ status: { ...ready, message: 'A pod starts.' } }), () => never));
    await turn();
    clock.advance(10_001);
    expect(await late).toEqual([503, expect.stringMatching(/cannot be used yet/)]);
    // The next one is told at once, until it has had its time.
    expect((await refused(doors.enter(instance(), () => never)))[0]).toBe(503);
    clock.advance(30_000);
    const again = doors.enter(instance(), () => never);
    await turn();
    open();
    await again;
  });

  it('lets go of who does not wait any more', async () => {
    const { doors, seen } = setUp({ door: 'asleep' });
    const ending = new AbortController();
    const entering = doors.enter(instance(), () => ending.signal);
    await turn();
    ending.abort(new Error('gone away'));
    await expect(entering).rejects.toThrow('gone away');
    expect(seen.entered).toBe(0);
  });

  it('lets in to nobody what took the place of what it woke', async () => {
    const { doors, at, open } = setUp({ door: 'asleep' });
    const entering = refused(doors.enter(instance(), () => never));
    await turn();
    at.found = { uid: 'v2', owner: '', door: 'open' };
    open();
    expect((await entering)[0]).toBe(503);
  });

  it('leaves asleep what somebody wants to sleep', async () => {
    const external = instance({ spec: { clusterRef: { cluster: 'local' }, external: true } });
    for (const [sleeping, owner] of [
      [instance({}, { annotations: { 'sleepmode.platform.sh/force': 'true' } }), 'i1'],
      [external, 'i1'],
      [instance(), ''],
    ] as const) {
      const { doors, seen } = setUp({ door: 'asleep', owner });
      expect(await refused(doors.enter(sleeping, () => never))).toEqual([503, expect.stringMatching(/is asleep/)]);
      expect(seen).toMatchObject({ woken: 0, entered: 0 });
    }
    const rests = setUp({ door: 'asleep', owner: '' });
    const status = { phase: 'Sleeping', reason: 'NotUsed', serviceUID: 'v1', deployHash: 'x' };
    void rests.doors.enter(instance({ status }), () => never);
    await turn();
    expect(rests.seen.woken).toBe(1);
  });

  it('wakes once for all who come at the same time, and stops when the last of them has left', async () => {
    const { doors, seen, clock, open } = setUp({ door: 'asleep' });
    const ending = new AbortController();
    const first = refused(doors.enter(instance(), () => ending.signal)).catch((error: unknown) => String(error));
    const others = Array.from({ length: 50 }, () => doors.enter(instance(), () => never));
    await turn();
    ending.abort(new Error('gone away'));
    expect(await first).toMatch(/gone away/);
    open();
    expect((await Promise.all(others)).length).toBe(50);
    expect(seen).toMatchObject({ woken: 1, entered: 50 });
    const last = refused(doors.enter(instance(), () => never));
    await turn();
    clock.advance(10_001);
    await last;
    const next = refused(doors.enter(instance(), () => never));
    await turn();
    expect(seen.woken).toBe(3);
    clock.advance(10_001);
    await next;
  });

  it('ends with words about the instance (completions §3)', async () => {
    const forced = instance({}, { annotations: { 'sleepmode.platform.sh/force': 'true' } });
    for (const [door, now, words] of [
      [
        'asleep',
        instance(),
        /^the virtual cluster "demo" is asleep; nothing in it is lost: who uses it next wakes it$/,
      ],
      ['asleep', forced, /take the annotation away to wake it$/],
      ['closing', instance(), /is being removed$/],
      ['asleep', undefined, /is being removed$/],
      ['open', instance(), /^what the cluster says$/],
    ] as const) {
      const { doors, at, closing, latest } = setUp();
      const visit = await doors.enter(instance(), () => never);
      const { signal } = visit;
      at.found = { uid: 'v1', owner: 'i1', door };
      latest.instance = now;
      closing.abort(new Error('what the cluster says'));
      await turn();
      expect((signal.reason as Error).message).toMatch(words);
    }
  });

  it('is not used by who has to leave because it falls asleep: that would wake it again', async () => {
    const { doors, activity, clock, at, closing, seen } = setUp();
    const stayed = await doors.enter(instance(), () => never);
    const { signal } = stayed;
    const told: string[] = [];
    activity.onActivity((uid) => told.push(uid));
    clock.advance(5_000);
    at.found = { uid: 'v1', owner: 'i1', door: 'asleep' };
    closing.abort(new Error('what the cluster says'));
    await turn();
    expect(signal.aborted).toBe(true);
    stayed.leave();
    expect([told, seen.left]).toEqual([[], 1]);
    expect(activity.lastActivity('i1')).toBe(1_000_000);
  });

  it('is not used by whose connection ends with the pods of one that falls asleep', async () => {
    const { doors, activity, clock, at } = setUp();
    const visit = await doors.enter(instance(), () => never);
    clock.advance(5_000);
    at.found = { uid: 'v1', owner: 'i1', door: 'asleep' };
    visit.leave();
    await turn();
    expect(activity.lastActivity('i1')).toBe(1_000_000);
  });

  it('keeps nothing of who leaves when it is gone already', async () => {
    const { doors, activity, clock, at } = setUp();
    const visit = await doors.enter(instance(), () => never);
    clock.advance(5_000);
    at.found = undefined;
    activity.forget('i1');
    visit.leave();
    await turn();
    expect(activity.lastActivity('i1')).toBeUndefined();
  });

  it('is none where the server has no way to the cluster', async () => {
    const away = instance({ spec: { clusterRef: { cluster: 'far' } } });
    expect((await refused(setUp().doors.enter(away, () => never)))[0]).toBe(501);
  });
});
