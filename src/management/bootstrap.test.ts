import { describe, expect, it } from 'vitest';
import { itExceptOnEtcd } from '../../test/harness/etcd/it-except-on-etcd.ts';
import { accessKeyKind } from '../api/management/v1/access-key.ts';
import { isWellFormedAccessKey } from '../auth/access-key-format.ts';
import { storeOf } from '../registry/kind-stores.ts';
import { keyStateOf } from './access-keys/access-key-state.ts';
import { bootstrap } from './bootstrap.ts';
import { deleteOptions, openManagementTestEnv } from './management.fixture.ts';

const needsController = 'a cluster in a shared store is deleted by its controller, which does not run here';

describe('bootstrap (completions §1)', () => {
  it('the first start creates a user, project, cluster, template and an admin key', async () => {
    const { state, adminKey, plane, sealer } = await openManagementTestEnv();
    expect(state.user('admin')).toMatchObject({ spec: { groups: ['platform:admins'] } });
    expect(state.project('default')).toMatchObject({
      spec: {
        allowedClusters: [{ name: '*' }],
        allowedTemplates: [{ name: '*' }, { kind: 'SpaceTemplate', name: '*' }],
      },
    });
    expect(state.namespace('platform-p-default')).toBeDefined();
    expect(state.cluster('local')).toMatchObject({ spec: { local: true } });
    expect(state.template('control-plane')).toBeDefined();
    expect(isWellFormedAccessKey(adminKey ?? '')).toBe(true);
    const claim = `hash:${sealer.hash('access-key', adminKey ?? '')}`;
    const key = storeOf(plane.kinds, accessKeyKind).byClaim(claim)?.object;
    if (key === undefined) throw new Error('the key is not there');
    expect(keyStateOf(key, state)).toMatchObject({
      name: 'admin',
      disabled: false,
      user: {
        name: 'admin',
        groups: expect.arrayContaining([
          'platform:admins',
          'platform:user:admin',
          'system:authenticated',
          'platform:authenticated',
        ]),
      },
    });
  });

  itExceptOnEtcd('bootstrap is not repeated: deleted objects stay deleted', needsController, async () => {
    const { plane, verbs, admin, state } = await openManagementTestEnv();
    await verbs('clusters').delete(admin(), 'local', deleteOptions);
    expect(await bootstrap(plane.kinds)).toBeUndefined();
    expect(state.cluster('local')).toBeUndefined();
  });

  it('servers that start at the same moment create each object once, and one of them has the key', async () => {
    const { plane, verbs, state, system } = await openManagementTestEnv();
    const users = plane.kinds.get('users.management.platform.sh');
    await plane.kinds.get('accesskeys.management.platform.sh')?.verbs.delete(system(), 'admin', deleteOptions);
    await users?.verbs.delete(system(), 'admin', deleteOptions);
    await verbs('clusters').delete(system(), 'local', deleteOptions);
    const saved: string[] = [];
    const start = async (server: number) => {
      const kept: string[] = [];
      const created = await bootstrap(plane.kinds, {
        saveKey: async (key) => void kept.push(key),
        discardKey: async () => void kept.pop(),
        refresh: async () => {},
      });
      saved.push(...kept.map((key) => `${server} ${key}`));
      return created === undefined ? [] : [`${server} ${created}`];
    };
    const created = (await Promise.all([1, 2, 3].map(start))).flat();
    expect(created).toHaveLength(1);
    expect(saved).toEqual(created);
    expect(state.cluster('local')).toBeDefined();
    expect(state.user('admin')).toBeDefined();
  });

  itExceptOnEtcd(
    'an interrupted bootstrap resumes, and saves the key before storing its object',
    needsController,
    async () => {
      const { plane, verbs, admin, state, system } = await openManagementTestEnv();
      const keys = plane.kinds.get('accesskeys.management.platform.sh');
      await verbs('accesskeys').delete(admin(), 'admin', deleteOptions);
      await verbs('clusters').delete(admin(), 'local', deleteOptions);
      let kept = '';
      const created = await bootstrap(plane.kinds, {
        async saveKey(key) {
          expect(state.accessKey('admin')).toBeUndefined();
          kept = key;
        },
      });
      expect(created).toBe(kept);
      expect(state.cluster('local')).toBeUndefined();
      await keys?.verbs.delete(system(), 'admin', deleteOptions);
      await plane.kinds.get('users.management.platform.sh')?.verbs.delete(system(), 'admin', deleteOptions);
      expect(await bootstrap(plane.kinds)).toBeDefined();
      expect(state.cluster('local')).toBeDefined();
    },
  );
});
