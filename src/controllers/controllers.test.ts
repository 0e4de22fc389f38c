import type { JsonObject } from '@flotilla/json';
import { afterEach, describe, expect, it } from 'vitest';
import { eventKind } from '../api/core/event.ts';
import { leaseKind } from '../api/core/lease.ts';
import { clusterKind } from '../api/management/v1/cluster.ts';
import { projectKind } from '../api/management/v1/project.ts';
import { spaceInstanceKind } from '../api/management/v1/space-instance.ts';
import { teamKind } from '../api/management/v1/team.ts';
import { userKind } from '../api/management/v1/user.ts';
import { virtualClusterInstanceKind } from '../api/management/v1/virtual-cluster-instance.ts';
import { virtualClusterTemplateKind } from '../api/management/v1/virtual-cluster-template.ts';
import type { ResourceKind } from '../api/resource.ts';
import { inProcessClient } from '../builtin/in-process-client.ts';
import { silentLog } from '../lib/log.ts';
import {
  deleteOptions,
  type ManagementTestEnv,
  openManagementTestEnv,
  patchOptions,
} from '../management/management.fixture.ts';
import { instanceKinds } from '../management/state.ts';
import { resourceKey } from '../registry/rows/rows.ts';
import { startInstanceController } from './instances/instance-controller.ts';
import { startProjectController } from './projects/project-controller.ts';
import type { RunningController } from './runtime/controller.ts';
import { startUserController } from './users/user-controller.ts';

const running: RunningController[] = [];
afterEach(async () => {
  for (const controller of running.splice(0)) await controller.stop();
});

async function setUp() {
  const management = await openManagementTestEnv();
  const { plane, clock } = management;
  const client = inProcessClient(plane.kinds, 'test');
  const resource = <Fields extends JsonObject>(kind: ResourceKind<Fields>) => client.resource(kind);
  running.push(
    startProjectController({
      projects: resource(projectKind),
      instances: [resource(virtualClusterInstanceKind), resource(spaceInstanceKind)],
      contents: [resource(leaseKind), resource(eventKind)],
      usage: (project) =>
        instanceKinds.map((kind) => ({
          resource: kind.plural,
          total: management.state.instanceCount(kind, project),
          perOwner: management.state.instanceOwners(kind, project),
        })),
      clock,
      log: silentLog,
    }),
    startInstanceController({
      instances: resource(virtualClusterInstanceKind),
      projects: resource(projectKind),
      templates: resource(virtualClusterTemplateKind),
      clusters: resource(clusterKind),
      events: resource(eventKind),
      hostOf: () => undefined,
      chooseCluster: () => undefined,
      activity: { lastActivity: () => undefined, onActivity: () => () => {} },
      clock,
      log: silentLog,
    }),
    startUserController({ users: resource(userKind), teams: resource(teamKind), clock, log: silentLog }),
  );
  await Promise.all(running.map((controller) => controller.synced));
  return management;
}

/** Resolves when the condition holds. Checks the condition after each change of an object of the kind. */
function until({ plane }: ManagementTestEnv, kind: ResourceKind, holds: () => boolean): Promise<void> {
  return new Promise((resolve) => {
    const stop = plane.kinds.get(resourceKey(kind))?.listen(() => look());
    const look = () => {
      if (!holds()) return;
      stop?.();
      resolve();
    };
    look();
  });
}

const open = { allowedClusters: [{ name: '*' }], allowedTemplates: [{ name: '*' }] };
const instances = virtualClusterInstanceKind.plural;

describe('the project controller', () => {
  it('deletes the contents of a project, then the project with its namespace', async () => {
    const management = await setUp();
    const { create, verbs, admin, state } = management;
    await create('projects', 'p', open);
    for (const name of ['one', 'two']) await create(instances, name, {}, admin('p'));
    await verbs('projects').delete(admin(), 'p', deleteOptions);
    await until(management, projectKind, () => state.project('p') === undefined);
    expect([...state.instancesOf('p')]).toEqual([]);
    expect(state.namespace('platform-p-p')).toBeUndefined();
  });

  it('waits for an instance with a finalizer, and names it in a condition', async () => {
    const management = await setUp();
    const { create, verbs, admin, state } = management;
    await create('projects', 'p', open);
    await create(instances, 'held', {}, admin('p'));
    const finalizers = (value: string[] | null) =>
      verbs(instances).patch(
        admin('p'),
        'held',
        { type: 'merge', document: { metadata: { finalizers: value } }, findings: [] },
        patchOptions,
      );
    await finalizers(['test.example/hold']);
    await verbs('projects').delete(admin(), 'p', deleteOptions);
    await until(management, projectKind, () => JSON.stringify(state.project('p')).includes('InstancesRemaining'));
    expect(state.project('p')).toMatchObject({
      status: { conditions: [{ type: 'ContentDeleted', status: 'False', message: expect.stringContaining('held') }] },
    });
    await finalizers(null);
    await until(management, projectKind, () => state.project('p') === undefined);
  });

  it('deletes all other objects in the namespace, and waits for those with finalizers', async () => {
    const management = await setUp();
    const { create, verbs, admin, state, clock, plane } = management;
    const leases = inProcessClient(plane.kinds, 'test').resource(leaseKind);
    const lease = (name: string, finalizers: string[]) =>
      leases.create({
        apiVersion: 'coordination.k8s.io/v1',
        kind: 'Lease',
        metadata: { name, namespace: 'platform-p-p', finalizers },
      });
    await create('projects', 'p', open);
    await lease('free', []);
    await lease('held', ['test.example/hold']);
    await verbs('projects').delete(admin(), 'p', deleteOptions);
    const names = async () => (await leases.list()).items.map(({ metadata }) => metadata.name);
    await until(
      management,
      leaseKind,
      () => plane.kinds.get(resourceKey(leaseKind))?.peek('platform-p-p', 'free') === undefined,
    );
    expect(await names()).toEqual(['held']);
    await until(management, projectKind, () =>
      JSON.stringify(state.project('p')).includes('waiting for 1 object(s) to be deleted: Lease held'),
    );
    await leases.patch({ name: 'held', namespace: 'platform-p-p' }, { metadata: { finalizers: null } });
    while (state.project('p') !== undefined) {
      clock.advance(1_000);
      await new Promise(setImmediate);
    }
    expect(await names()).toEqual([]);
  });

  it('deletes nothing before the grace period of a project is over', async () => {
    const management = await setUp();
    const { create, verbs, admin, state, clock } = management;
    await create('projects', 'p', open);
    await create(instances, 'one', {}, admin('p'));
    await verbs('projects').delete(admin(), 'p', { ...deleteOptions, gracePeriodSeconds: 60 });
    clock.advance(59_000);
    expect([...state.instancesOf('p')]).toHaveLength(1);
    clock.advance(2_000);
    await until(management, virtualClusterInstanceKind, () => [...state.instancesOf('p')].length === 0);
  });

  it('reports the quota usage', async () => {
    const management = await setUp();
    const { create, admin, state } = management;
    await create('projects', 'p', {
      ...open,
      quotas: { project: { virtualclusterinstances: 5 }, user: { virtualclusterinstances: '2' } },
    });
    await create(instances, 'one', {}, admin('p'));
    await until(management, projectKind, () => JSON.stringify(state.project('p')?.status ?? null).includes('"admin"'));
    expect(state.project('p')?.status).toEqual({
      quotas: {
        project: { limit: { virtualclusterinstances: '5' }, used: { virtualclusterinstances: '1' } },
        user: { limit: { virtualclusterinstances: '2' }, used: { admin: { virtualclusterinstances: '1' } } },
      },
    });
    expect(state.project('p')?.metadata.generation).toBe(1);
  });
});

describe('the user controller', () => {
  it('reports the teams of a user as they change', async () => {
    const management = await setUp();
    const { create, verbs, admin, state } = management;
    const teamsOf = (name: string) => JSON.stringify(state.user(name)?.status ?? null);
    await create('users', 'anna', {});
    await create('teams', 'red', { users: ['anna'] });
    await create('teams', 'blue', { users: ['anna'] });
    await until(management, userKind, () => teamsOf('anna') === '{"teams":["blue","red"]}');
    await verbs('teams').patch(
      admin(),
      'red',
      { type: 'merge', document: { spec: { users: [] } }, findings: [] },
      patchOptions,
    );
    await until(management, userKind, () => teamsOf('anna') === '{"teams":["blue"]}');
    await verbs('teams').delete(admin(), 'blue', deleteOptions);
    await until(management, userKind, () => ['null', '{}'].includes(teamsOf('anna')));
  });
});
