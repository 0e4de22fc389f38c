import { randomBytes } from 'node:crypto';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { describeIfAvailable } from '../../test/harness/suite.ts';
import { projectRoles } from '../api/naming.ts';
import { ManualClock } from '../lib/clock.ts';
import { openSealer } from '../seal/open-sealer.ts';
import { EtcdCluster, noEtcd } from '../store/etcd/etcd.fixture.ts';
import { openEtcdStore } from '../store/etcd/etcd-store.ts';
import { type ManagementTestEnv, openManagementTestEnv } from './management.fixture.ts';
import { defaultManagementSettings } from './settings.ts';

let cluster: EtcdCluster;

beforeAll(async () => {
  if (noEtcd === undefined) cluster = await EtcdCluster.start();
});

afterAll(async () => {
  if (noEtcd === undefined) await cluster.stop();
});

async function openOnEtcd(count: number): Promise<ManagementTestEnv[]> {
  const options = { clock: new ManualClock(), sealer: openSealer(randomBytes(32)) };
  const settings = {
    accessKeys: { ...defaultManagementSettings.accessKeys, maxTTL: 0, perUser: 3 },
    projects: { ...defaultManagementSettings.projects, maxSecrets: 2 },
  };
  const envs: ManagementTestEnv[] = [];
  for (let index = 0; index < count; index++) {
    const store = await openEtcdStore({ endpoints: cluster.endpoints, prefix: 'limits' });
    envs.push(await openManagementTestEnv(settings, { ...options, store }));
  }
  return envs;
}

async function fulfilled(creates: readonly Promise<unknown>[]): Promise<number> {
  return (await Promise.allSettled(creates)).filter(({ status }) => status === 'fulfilled').length;
}

describeIfAvailable(noEtcd, 'three replicas over etcd', () => {
  it('fill the limits of instances, access keys and Secrets exactly', async () => {
    const envs = await openOnEtcd(3);
    const [first] = envs;
    if (first === undefined) throw new Error('three replicas were requested');
    await first.create('users', 'anna', {});
    await first.create('projects', 'p', {
      members: [{ kind: 'User', name: 'anna', clusterRole: projectRoles.user }],
      allowedClusters: [{ name: '*' }],
      allowedTemplates: [{ name: '*' }],
      quotas: { project: { virtualclusterinstances: '4' } },
    });
    for (const { state } of envs) await state.caughtUp();
    const onEach = (create: (env: ManagementTestEnv, name: string) => Promise<unknown>) =>
      fulfilled(envs.flatMap((env, replica) => [0, 1, 2].map((index) => create(env, `n${replica}-${index}`))));
    expect(await onEach((env, name) => env.create('virtualclusterinstances', name, {}, env.admin('p')))).toBe(4);
    expect(await onEach((env, name) => env.create('ownedaccesskeys', name, {}, env.as('anna')))).toBe(3);
    expect(await onEach((env, name) => env.create('secrets', name, {}, env.as('anna', 'p')))).toBe(2);
    for (const { store, plane } of envs) {
      plane.close();
      await store.close();
    }
  });
});
