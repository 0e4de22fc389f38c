import { expect, it } from 'vitest';
import type { ApiClient, ResourceClient } from '../../../client/resource-client.ts';
import { ManualClock } from '../../../lib/clock.ts';
import { silentLog } from '../../../lib/log.ts';
import type { HostListener } from '../../host.ts';
import { podKind } from '../host-kinds.ts';
import type { VirtualClusterSnapshot } from '../observe/host-cache.ts';
import { startSleepCleanup } from './sleep-cleanup.ts';

const location = { namespace: 'space', name: 'one' };

/** A host with one virtual cluster that falls asleep and has synced pods. */
function sleepingHost() {
  const pods = new Set(['a', 'b']);
  const listeners = new Set<HostListener>();
  const podClient = {
    list: async () => ({ items: [...pods].map((name) => ({ metadata: { name } })), resourceVersion: '1' }),
    delete: async ({ name }: { name: string }) => void pods.delete(name),
  };
  const others = { list: async () => ({ items: [], resourceVersion: '1' }) };
  const hostClient = {
    resource: ({ kind }: { kind: string }) => (kind === podKind.kind ? podClient : others) as unknown as ResourceClient,
  } as ApiClient;
  const snapshot = { workloads: [{ isFallingAsleep: true }], pods: [] } as unknown as VirtualClusterSnapshot;
  const cache = {
    snapshotOf: () => snapshot,
    locations: () => [location],
    listen(listener: HostListener) {
      listeners.add(listener);
      listener.onGap();
      return () => void listeners.delete(listener);
    },
  };
  const change = () => {
    for (const listener of [...listeners]) listener.onChange(location);
  };
  return { pods, hostClient, cache, change };
}

const turn = () => new Promise((resolve) => setImmediate(resolve));

it('the cleanup deletes the pods of a sleeping virtual cluster until it is stopped', async () => {
  const { pods, change, ...host } = sleepingHost();
  const stop = startSleepCleanup({ ...host, clock: new ManualClock(), log: silentLog, assertCurrent() {} });
  await turn();
  expect([...pods]).toEqual([]);
  await stop();
  pods.add('c');
  change();
  await turn();
  expect([...pods]).toEqual(['c']);
});

it('the cleanup deletes no pod while another process may do the work', async () => {
  const clock = new ManualClock();
  const { pods, ...host } = sleepingHost();
  let isCurrent = false;
  const assertCurrent = () => {
    if (!isCurrent) throw new Error('the beats of this server have stopped');
  };
  const stop = startSleepCleanup({ ...host, clock, log: silentLog, assertCurrent });
  await turn();
  expect([...pods]).toEqual(['a', 'b']);
  isCurrent = true;
  clock.advance(10_000);
  await turn();
  expect([...pods]).toEqual([]);
  await stop();
});
