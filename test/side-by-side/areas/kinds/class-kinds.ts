import { describe } from 'vitest';
import { comparedTests } from '../../area.ts';
import { applyPatch, asTable, mergePatch } from '../../gadgets.ts';
import type { Pair } from '../../pair.ts';

const namespace = 'classes';
const storage = '/apis/storage.k8s.io/v1';
const networking = '/apis/networking.k8s.io/v1';
const scheduling = '/apis/scheduling.k8s.io/v1';
const apps = `/apis/apps/v1/namespaces/${namespace}`;
const policy = `/apis/policy/v1/namespaces/${namespace}`;
const age = /\.cells\[\d+\]$/;

/**
 * Compares kinds that describe classes and budgets: storage.k8s.io, ingress classes, priority classes, controller
 * revisions.
 */
export function classKinds(pair: Pair): void {
  describe('Classes', () => {
    const compared = comparedTests(pair);
    const post = (path: string, json: unknown) => pair.send({ method: 'POST', path, json });
    const merge = (path: string, change: unknown) =>
      pair.send({ method: 'PATCH', path, body: JSON.stringify(change), headers: { 'content-type': mergePatch } });
    const apply = (path: string, json: unknown) =>
      pair.send({
        method: 'PATCH',
        path: `${path}?fieldManager=m`,
        body: JSON.stringify(json),
        headers: { 'content-type': applyPatch },
      });
    const table = (path: string) => pair.send({ path, headers: { accept: asTable } }, { ignoredFields: age });

    compared('are in discovery', async () => {
      await post('/api/v1/namespaces', { metadata: { name: namespace } });
      await pair.send({ path: '/apis/scheduling.k8s.io/v1' });
      await pair.send({ path: '/apis/policy/v1' });
    });

    compared('of storage have defaults, rules and columns', async () => {
      const classes = `${storage}/storageclasses`;
      await post(classes, { metadata: { name: 'bare' } });
      await post(classes, { metadata: { name: 'fast' }, provisioner: 'example.com/disk', parameters: { type: 'ssd' } });
      await post(classes, { metadata: { name: 'bad' }, provisioner: '-', reclaimPolicy: 'x', volumeBindingMode: 'y' });
      const expression = { key: 'failure-domain.beta.kubernetes.io/zone', values: ['a', 'a'] };
      await post(classes, {
        metadata: { name: 'zones' },
        provisioner: 'p',
        allowedTopologies: [{ matchLabelExpressions: [expression, { key: '', values: [] }] }, {}],
      });
      await post(classes, {
        metadata: { name: 'old' },
        provisioner: 'p',
        allowedTopologies: [{ matchLabelExpressions: [{ ...expression, values: ['a'] }] }],
      });
      await merge(`${classes}/fast`, { provisioner: 'other', parameters: { type: 'x' }, reclaimPolicy: 'Retain' });
      await merge(`${classes}/fast`, {
        metadata: { annotations: { 'storageclass.kubernetes.io/is-default-class': 'true' } },
        allowVolumeExpansion: true,
      });
      await table(`${classes}/fast`);
      await pair.send({ method: 'DELETE', path: `${classes}/fast` });
      const attributes = `${storage}/volumeattributesclasses`;
      await post(attributes, { metadata: { name: 'bare' } });
      await post(attributes, { metadata: { name: 'gold' }, driverName: 'd.example', parameters: { iops: '9' } });
      await merge(`${attributes}/gold`, { driverName: 'other', parameters: { iops: '8' } });
      await table(`${attributes}/gold`);
    });

    compared('of CSI drivers have defaults, rules and columns', async () => {
      const drivers = `${storage}/csidrivers`;
      await post(drivers, { metadata: { name: 'd.example' } });
      await post(drivers, {
        metadata: { name: 'bad' },
        spec: {
          fsGroupPolicy: 'x',
          volumeLifecycleModes: ['y'],
          nodeAllocatableUpdatePeriodSeconds: 1,
          tokenRequests: [{ audience: 'a' }, { audience: 'a' }, { audience: 'b', expirationSeconds: 1 }],
        },
      });
      await post(drivers, { metadata: { name: 'tokens' }, spec: { tokenRequests: [{ audience: 'a' }] } });
      await merge(`${drivers}/d.example`, { spec: { storageCapacity: true } });
      await merge(`${drivers}/d.example`, { spec: { attachRequired: false } });
      await table(`${drivers}/tokens`);
      const nodes = `${storage}/csinodes`;
      const driver = { name: 'd.example', nodeID: 'n1', topologyKeys: ['zone'] };
      await post(nodes, { metadata: { name: 'n1' }, spec: { drivers: [driver] } });
      await post(nodes, {
        metadata: { name: 'bad' },
        spec: { drivers: [{ name: '', nodeID: '' }, driver, { ...driver, allocatable: { count: -1 } }] },
      });
      await merge(`${nodes}/n1`, { spec: { drivers: [{ ...driver, nodeID: 'n2' }] } });
      await merge(`${nodes}/n1`, { spec: { drivers: [{ ...driver, allocatable: { count: 3 } }] } });
      await table(`${nodes}/n1`);
      const capacities = `${storage}/namespaces/${namespace}/csistoragecapacities`;
      await post(capacities, { metadata: { name: 'bare' } });
      await post(capacities, { metadata: { name: 'one' }, storageClassName: 'fast', capacity: '1024Mi' });
      await post(capacities, { metadata: { name: 'negative' }, storageClassName: 'fast', capacity: '-1' });
      await merge(`${capacities}/one`, { storageClassName: 'other' });
      await table(`${capacities}/one`);
    });

    compared('of ingresses have defaults, rules and columns', async () => {
      const classes = `${networking}/ingressclasses`;
      await post(classes, { metadata: { name: 'bare' } });
      await post(classes, { metadata: { name: 'bad' }, spec: { controller: 'no-slash', parameters: {} } });
      await post(classes, { metadata: { name: 'bad' }, spec: { controller: 'UP/a b', parameters: { scope: 'x' } } });
      const parameters = { apiGroup: 'k8s.example', kind: 'Parameters', name: 'one' };
      await post(classes, { metadata: { name: 'one' }, spec: { controller: 'example.com/one', parameters } });
      const inNamespace = { ...parameters, scope: 'Namespace' };
      await post(classes, { metadata: { name: 'bad' }, spec: { controller: 'a.b/c', parameters: inNamespace } });
      await merge(`${classes}/one`, { spec: { controller: 'example.com/two' } });
      await merge(`${classes}/one`, { spec: { parameters: { ...inNamespace, namespace: 'default' } } });
      await table(`${classes}/one`);
    });

    compared('of priorities have defaults, rules and columns', async () => {
      const classes = `${scheduling}/priorityclasses`;
      await post(classes, { metadata: { name: 'bare' } });
      await post(classes, { metadata: { name: 'high' }, value: 1000, globalDefault: true, description: 'High.' });
      await post(classes, { metadata: { name: 'second' }, value: 1001, globalDefault: true });
      await post(classes, { metadata: { name: 'too-high' }, value: 1_000_000_001, preemptionPolicy: 'x' });
      await post(classes, { metadata: { name: 'system-mine' }, value: 5 });
      await merge(`${classes}/high`, { value: 1001 });
      await merge(`${classes}/high`, { preemptionPolicy: 'Never' });
      await merge(`${classes}/high`, { description: 'Higher.' });
      await table(`${classes}/high`);
      await table(`${classes}/system-node-critical`);
      await pair.send({ method: 'DELETE', path: `${classes}/system-node-critical` });
      await pair.send({ method: 'DELETE', path: `${classes}/high` });
    });

    compared('of budgets have rules, a status and columns', async () => {
      const budgets = `${policy}/poddisruptionbudgets`;
      const selector = { matchLabels: { app: 'web' } };
      await post(budgets, { metadata: { name: 'bare' } });
      await post(budgets, { metadata: { name: 'web' }, spec: { minAvailable: '50%', selector } });
      await post(budgets, { metadata: { name: 'both' }, spec: { minAvailable: 1, maxUnavailable: 1, selector } });
      await post(budgets, {
        metadata: { name: 'bad' },
        spec: { minAvailable: 'x%', unhealthyPodEvictionPolicy: 'y', selector: { matchLabels: { '-': '-' } } },
      });
      await post(budgets, { metadata: { name: 'bad' }, spec: { maxUnavailable: '101%' } });
      await post(budgets, { metadata: { name: 'bad' }, spec: { maxUnavailable: -1 } });
      await merge(`${budgets}/web`, { spec: { minAvailable: 2 } });
      await merge(`${budgets}/web/status`, {
        metadata: { labels: { a: 'b' } },
        spec: { minAvailable: 3 },
        status: { disruptionsAllowed: 1, conditions: [{ type: 'A', status: 'x', reason: '', message: '' }] },
      });
      await merge(`${budgets}/web/status`, {
        metadata: { labels: { a: 'b' } },
        spec: { minAvailable: 3 },
        status: { disruptionsAllowed: 1 },
      });
      await table(`${budgets}/web`);
      await apply(`${budgets}/applied`, {
        apiVersion: 'policy/v1',
        kind: 'PodDisruptionBudget',
        metadata: { name: 'applied' },
        spec: { maxUnavailable: 1, selector },
      });
      await pair.send({ method: 'PUT', path: `${budgets}/applied`, json: { metadata: { name: 'applied' } } });
    });

    compared('of revisions have rules and columns', async () => {
      const revisions = `${apps}/controllerrevisions`;
      await post(revisions, { metadata: { name: 'bare' } });
      await post(revisions, { metadata: { name: 'one' }, revision: 1, data: { any: { thing: [1, 'x'] } } });
      await post(revisions, { metadata: { name: 'negative' }, revision: -1, data: {} });
      for (const data of [null, [], 'x', 1, false]) await post(revisions, { metadata: { name: 'not-object' }, data });
      await merge(`${revisions}/one`, { revision: 2 });
      await merge(`${revisions}/one`, { data: { other: true } });
      const owner = { apiVersion: 'apps/v1', kind: 'StatefulSet', name: 'web', uid: '1', controller: true };
      await merge(`${revisions}/one`, { metadata: { ownerReferences: [owner] } });
      await table(`${revisions}/one`);
    });
  });
}
