import { randomBytes } from 'node:crypto';
import fc from 'fast-check';
import { expect, it } from 'vitest';
import { virtualClusterInstanceKind } from '../api/management/v1/virtual-cluster-instance.ts';
import { projectRoles } from '../api/naming.ts';
import { ManualClock } from '../lib/clock.ts';
import { openSealer } from '../seal/open-sealer.ts';
import { openMemoryStore } from '../store/memory.ts';
import { openReplicas } from '../store/replicas.fixture.ts';
import type { Store } from '../store/store.ts';
import { type ManagementTestEnv, openManagementTestEnv, rejectionStatus } from './management.fixture.ts';
import { defaultManagementSettings, type ManagementSettings } from './settings.ts';

/**
 * Opens the management API with a project and two users on three replicas. The observers of the replicas receive
 * changes late.
 */
async function openManagementReplicas(settings: Partial<ManagementSettings>, quotas: Record<string, number>) {
  const clock = new ManualClock();
  const sealer = openSealer(randomBytes(32));
  const open = (store: Store) => openManagementTestEnv(settings, { store, clock, sealer });
  const { replicas } = await openReplicas(3, open, openMemoryStore({ clock }));
  const envs = replicas.map(({ env }) => env);
  const [first] = envs;
  if (first === undefined) throw new Error('three replicas were requested');
  for (const name of ['anna', 'bob']) await first.create('users', name, {});
  await first.create('projects', 'p', {
    members: ['anna', 'bob'].map((name) => ({ kind: 'User', name, clusterRole: projectRoles.user })),
    allowedClusters: [{ name: '*' }],
    allowedTemplates: [{ name: '*' }],
    quotas: Object.fromEntries(
      Object.entries(quotas).map(([quota, most]) => [quota, { virtualclusterinstances: String(most) }]),
    ),
  });
  for (const { gate } of replicas) gate.hold();
  return { envs, first };
}

/**
 * Runs create requests at the same time. `placement` contains, for each request, the number of the replica that
 * receives it. Returns the number of requests that succeeded.
 */
async function successes(
  envs: readonly ManagementTestEnv[],
  placement: readonly number[],
  create: (env: ManagementTestEnv, index: number) => Promise<unknown>,
): Promise<number> {
  const results = await Promise.all(
    placement.map(async (replica, index) => {
      const env = envs[replica % envs.length];
      if (env === undefined) throw new Error('there are no replicas');
      const creating = create(env, index);
      const isCreated = await creating.then(
        () => true,
        () => false,
      );
      if (!isCreated) expect((await rejectionStatus(creating)).message).toContain('exceeded quota');
      return isCreated;
    }),
  );
  return results.filter((isCreated) => isCreated).length;
}

const placements = fc.array(fc.nat(2), { minLength: 1, maxLength: 9 });

it('creates on several replicas fill the quota of a project exactly', async () => {
  await fc.assert(
    fc.asyncProperty(placements, fc.integer({ min: 1, max: 6 }), async (placement, most) => {
      const { envs, first } = await openManagementReplicas({}, { project: most });
      const created = await successes(envs, placement, (env, index) =>
        env.create('virtualclusterinstances', `vc-${index}`, {}, env.as(index % 2 === 0 ? 'anna' : 'bob', 'p')),
      );
      expect(created).toBe(Math.min(placement.length, most));
      await first.state.caughtUp();
      expect(first.state.instanceCount(virtualClusterInstanceKind, 'p')).toBe(created);
    }),
    { numRuns: 15 },
  );
});

it('creates on several replicas fill the quota of each owner exactly', async () => {
  await fc.assert(
    fc.asyncProperty(placements, fc.integer({ min: 1, max: 4 }), async (placement, most) => {
      const { envs } = await openManagementReplicas({}, { user: most });
      const created = await successes(envs, placement, (env, index) =>
        env.create('virtualclusterinstances', `vc-${index}`, {}, env.as(index % 2 === 0 ? 'anna' : 'bob', 'p')),
      );
      const [ofAnna, ofBob] = [Math.ceil(placement.length / 2), Math.floor(placement.length / 2)];
      expect(created).toBe(Math.min(ofAnna, most) + Math.min(ofBob, most));
    }),
    { numRuns: 15 },
  );
});

it('creates on several replicas fill the limit of access keys of a user exactly', async () => {
  await fc.assert(
    fc.asyncProperty(placements, fc.integer({ min: 1, max: 6 }), async (placement, most) => {
      const { envs, first } = await openManagementReplicas(
        { accessKeys: { ...defaultManagementSettings.accessKeys, maxTTL: 0, perUser: most } },
        {},
      );
      const created = await successes(envs, placement, (env, index) =>
        env.create('ownedaccesskeys', `key-${index}`, {}, env.as('anna')),
      );
      expect(created).toBe(Math.min(placement.length, most));
      await first.state.caughtUp();
      expect(first.state.accessKeyCountOf('user', 'anna')).toBe(created);
    }),
    { numRuns: 15 },
  );
});
