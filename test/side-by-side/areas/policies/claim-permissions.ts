import { beforeAll, describe } from 'vitest';
import { comparedTests } from '../../area.ts';
import { mergePatch } from '../../gadgets.ts';
import type { Pair } from '../../pair.ts';
import { untilEffective } from '../../rbac-effective.ts';

const namespace = 'claim-permissions';
const claims = `/apis/resource.k8s.io/v1/namespaces/${namespace}/resourceclaims`;
const rbac = '/apis/rbac.authorization.k8s.io/v1';

interface Granted {
  readonly verbs: readonly string[];
  readonly resources: readonly string[];
  readonly resourceNames?: readonly string[];
}

const update = ['update', 'patch'];
const mayWriteStatus: Granted = { verbs: update, resources: ['resourceclaims/status'] };

/** The permissions of each user, in all namespaces. */
const users: Readonly<Record<string, readonly Granted[]>> = {
  'status-writer': [mayWriteStatus],
  scheduler: [mayWriteStatus, { verbs: ['update'], resources: ['resourceclaims/binding'] }],
  'any-driver': [mayWriteStatus, { verbs: ['arbitrary-node:patch'], resources: ['resourceclaims/driver'] }],
  'one-driver': [
    mayWriteStatus,
    { verbs: ['arbitrary-node:patch'], resources: ['resourceclaims/driver'], resourceNames: ['a.example.com'] },
  ],
  [`system:serviceaccount:${namespace}:driver`]: [
    mayWriteStatus,
    { verbs: ['associated-node:patch'], resources: ['resourceclaims/driver'] },
  ],
};

const device = (driver: string) => ({ driver: `${driver}.example.com`, pool: 'node-1', device: 'gpu-0' });
const result = (driver: string) => ({ request: 'gpu', ...device(driver) });
const matchFields = [{ key: 'metadata.name', operator: 'In', values: ['node-1'] }];
const allocation = {
  devices: { results: [result('a'), result('b')] },
  nodeSelector: { nodeSelectorTerms: [{ matchFields }] },
};
const devices = [device('a'), device('b')];

/**
 * Compares the permissions that a writer of a claim's status needs in addition to the permission for the subresource.
 */
export function claimPermissions(pair: Pair): void {
  describe('Permissions to write the status of claims', () => {
    const compared = comparedTests(pair);
    const prepare = (path: string, json: unknown) => pair.prepare({ method: 'POST', path, json });
    const as = (user: string, node?: string) => ({
      'impersonate-user': user,
      ...(node === undefined ? {} : { 'impersonate-extra-authentication.kubernetes.io%2fnode-name': node }),
    });
    const patch = (name: string, status: unknown, headers: Readonly<Record<string, string>> = {}) =>
      pair.send({
        method: 'PATCH',
        path: `${claims}/${name}/status`,
        body: JSON.stringify({ status }),
        headers: { 'content-type': mergePatch, ...headers },
      });
    const put = (name: string, status: unknown, headers: Readonly<Record<string, string>>) =>
      pair.send({ method: 'PUT', path: `${claims}/${name}/status`, json: { metadata: { name }, status }, headers });

    beforeAll(async () => {
      await prepare('/api/v1/namespaces', { metadata: { name: namespace } });
      for (const [user, granted] of Object.entries(users)) {
        const name = `claims-${user.split(':').at(-1)}`;
        const rules = granted.map((rule) => ({ apiGroups: ['resource.k8s.io'], ...rule }));
        await prepare(`${rbac}/clusterroles`, { metadata: { name }, rules });
        const roleRef = { apiGroup: 'rbac.authorization.k8s.io', kind: 'ClusterRole', name };
        const subjects = [{ apiGroup: 'rbac.authorization.k8s.io', kind: 'User', name: user }];
        await prepare(`${rbac}/clusterrolebindings`, { metadata: { name }, roleRef, subjects });
        const expected = { user, verb: 'patch', group: 'resource.k8s.io', resource: 'resourceclaims', namespace };
        await untilEffective(pair, { ...expected, subresource: 'status' });
      }
      const requests = [{ name: 'gpu', exactly: { deviceClassName: 'gpu' } }];
      for (const name of ['free', 'taken'])
        await prepare(claims, { metadata: { name }, spec: { devices: { requests } } });
    });

    compared('are required to allocate devices', async () => {
      await patch('free', { allocation }, as('nobody'));
      await patch('free', { allocation }, as('status-writer'));
      await put('free', { allocation, devices }, as('status-writer'));
      await patch('free', { allocation }, as('scheduler'));
      await put('free', { allocation, devices }, as('scheduler'));
      await put('free', { allocation }, as('scheduler'));
      await patch('free', { reservedFor: [{ resource: 'pods', name: 'a', uid: 'a' }] }, as('any-driver'));
      await put('free', {}, as('status-writer'));
      await put('free', {}, as('scheduler'));
    });

    compared('are required to report on devices', async () => {
      await patch('taken', { allocation });
      await patch('taken', { devices }, as('status-writer'));
      await patch('taken', { devices }, as('scheduler'));
      await patch('taken', { devices }, as('one-driver'));
      await patch('taken', { devices: [device('a')] }, as('one-driver'));
      await put('taken', { allocation, devices }, as('any-driver'));
      await patch('taken', { devices }, as('any-driver'));
      await patch('taken', { devices: [device('b')] }, as('status-writer'));
      await patch('taken', { devices }, as('status-writer'));
    });

    compared('can be limited to the node of the caller', async () => {
      const account = `system:serviceaccount:${namespace}:driver`;
      await patch('taken', { devices: null }, as(account));
      await patch('taken', { devices: null }, as(account, 'node-2'));
      await patch('taken', { devices: null }, as('status-writer', 'node-1'));
      await put('taken', { allocation }, as(account, 'node-1'));
      await patch('taken', { devices: null }, as(account, 'node-1'));
    });
  });
}
