import { expect, it } from 'vitest';
import type { VirtualClusterInstance } from '../api/management/v1/virtual-cluster-instance.ts';
import { projectNamespace, projectRoles } from '../api/naming.ts';
import { creatorMayUse } from './creator-access.ts';
import { openManagementTestEnv, patchOptions } from './management.fixture.ts';

it('a creator with the subject of a user has the permissions of that user, found without a scan of all users', async () => {
  const { create, verbs, admin, remove, state, clock } = await openManagementTestEnv();
  await create('users', 'anna', { subject: 'oidc-anna' });
  await create('projects', 'red', { members: [{ kind: 'User', name: 'anna', clusterRole: projectRoles.admin }] });
  const instance: VirtualClusterInstance = {
    apiVersion: 'management.platform.sh/v1',
    kind: 'VirtualClusterInstance',
    metadata: { name: 'demo', namespace: projectNamespace('red') },
  };
  const withoutScan = {
    ...state,
    users() {
      throw new Error('all users were read');
    },
  };
  const mayUse = (creator: string) => creatorMayUse(creator, instance, withoutScan, clock.now());
  expect(['oidc-anna', 'anna', 'oidc-other'].map(mayUse)).toEqual([true, false, false]);
  const document = { spec: { subject: 'oidc-other' } };
  await verbs('users').patch(admin(), 'anna', { type: 'merge', document, findings: [] }, patchOptions);
  expect(['oidc-anna', 'anna', 'oidc-other'].map(mayUse)).toEqual([false, false, true]);
  await remove('users', 'anna');
  expect(mayUse('oidc-other')).toBe(false);
});
