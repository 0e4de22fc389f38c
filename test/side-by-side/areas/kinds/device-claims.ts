import { beforeAll, describe } from 'vitest';
import { comparedTests } from '../../area.ts';
import { applyPatch, asTable, jsonPatch, mergePatch } from '../../gadgets.ts';
import type { Pair } from '../../pair.ts';
import { deviceGroupPath, gpu, invalidClaims, opaque } from './device-kinds.ts';

const namespace = 'device-claims-area';
const claims = `${deviceGroupPath}/namespaces/${namespace}/resourceclaims`;
const options = { ignoredFields: /\.cells\[\d+\]$/ };

type Members = Readonly<Record<string, unknown>>;

interface Tools {
  readonly compared: ReturnType<typeof comparedTests>;
  readonly pair: Pair;
  post(name: string, devices?: unknown, more?: Members): Promise<unknown>;
  patch(path: string, change: unknown, type?: string): Promise<unknown>;
  /** Replaces the status of a claim. */
  status(name: string, status: Members): Promise<unknown>;
  table(path?: string): Promise<unknown>;
  remove(name: string): Promise<unknown>;
}

/** Compares claims for devices, and the statuses of claims that schedulers and drivers write. */
export function deviceClaims(pair: Pair): void {
  describe('Claims for devices', () => {
    const patch = (path: string, change: unknown, type = mergePatch) =>
      pair.send(
        { method: 'PATCH', path: claims + path, body: JSON.stringify(change), headers: { 'content-type': type } },
        options,
      );
    const tools: Tools = {
      compared: comparedTests(pair),
      pair,
      post: (name, devices, more = {}) =>
        pair.send({ method: 'POST', path: claims, json: { metadata: { name }, spec: { devices }, ...more } }, options),
      patch,
      status: (name, status) =>
        pair.send({ method: 'PUT', path: `${claims}/${name}/status`, json: { metadata: { name }, status } }, options),
      table: (path = '') => pair.send({ path: claims + path, headers: { accept: asTable } }, options),
      remove: (name) => pair.send({ method: 'DELETE', path: `${claims}/${name}` }, options),
    };
    beforeAll(() =>
      pair.prepare({ method: 'POST', path: '/api/v1/namespaces', json: { metadata: { name: namespace } } }),
    );
    specs(tools);
    statuses(tools);
    invalidStatuses(tools);
    ownership(tools);
    quotas(tools);
  });
}

function specs({ compared, pair, post, patch, table, remove }: Tools): void {
  compared('have specs with defaults and rules', async () => {
    await pair.send({ path: deviceGroupPath });
    await post('empty');
    await post('Bad_Name', { requests: [gpu] });
    const tolerations = [
      { key: 'a', operator: 'Exists' },
      { key: 'b', value: 'c', effect: 'NoExecute' },
    ];
    const firstAvailable = [
      { name: 'big', deviceClassName: 'gpu', count: 2, tolerations },
      { name: 'small', deviceClassName: 'gpu', allocationMode: 'All' },
    ];
    const capacity = { requests: { 'example.com/memory': '1024Mi' } };
    await post(
      'gpu',
      {
        requests: [gpu, { name: 'first', firstAvailable }, { name: 'part', exactly: { ...gpu.exactly, capacity } }],
        constraints: [{ requests: ['gpu', 'first/big'], matchAttribute: 'example.com/model' }],
        config: [{ requests: ['first'], ...opaque({ kind: 'X' }) }],
      },
      { status: { reservedFor: [{ resource: 'pods', name: 'a', uid: 'b' }] } },
    );
    for (const [index, devices] of invalidClaims.entries()) await post(`invalid-${index}`, devices);
    await table();
    await patch('/gpu', { metadata: { labels: { a: 'b' } }, status: { reservedFor: [] } });
    await patch('/gpu', { spec: { devices: { requests: [] } } });
    await pair.send({ path: `${claims}?fieldSelector=metadata.name%3Dgpu` });
    await pair.send({ path: `${claims}?fieldSelector=spec.devices%3Dgpu` });
    await remove('gpu');
  });

  compared('grant admin access only in namespaces with a label', async () => {
    const admin = { name: 'gpu', exactly: { deviceClassName: 'gpu', adminAccess: true } };
    await post('admin', { requests: [gpu, { ...admin, name: 'admin' }] });
    await post('status-admin', { requests: [gpu] });
    const granted = { allocation: { devices: { results: [result(), result({ adminAccess: true, device: 'b' })] } } };
    await patch('/status-admin/status', { status: granted });
    const path = `/api/v1/namespaces/${namespace}`;
    const label = (value: string | null) => ({
      method: 'PATCH',
      path,
      body: JSON.stringify({ metadata: { labels: { 'resource.kubernetes.io/admin-access': value } } }),
      headers: { 'content-type': mergePatch },
    });
    await pair.prepare(label('true'));
    await post('admin', { requests: [admin] });
    await patch('/status-admin/status', { status: granted });
    await pair.prepare(label(null));
    await patch('/status-admin/status', { status: { reservedFor: [consumer('a')] } });
    await patch('/admin', { metadata: { labels: { a: 'b' } } });
  });
}

const shareID = '12345678-1234-1234-1234-123456789abc';
const device = (more: Members = {}) => ({ driver: 'gpu.example.com', pool: 'node-1', device: 'gpu-0', ...more });
const result = (more: Members = {}) => ({ request: 'gpu', ...device(), ...more });
const consumer = (uid: string, more: Members = {}) => ({ resource: 'pods', name: 'pod', uid, ...more });
const allocation = (...results: Members[]) => ({ devices: { results } });

function statuses({ compared, pair, post, patch, status, table, remove }: Tools): void {
  compared('are allocated, reserved and reported on through their status', async () => {
    await post('walk', { requests: [gpu] });
    const allocated = {
      devices: {
        results: [
          result({ tolerations: [{ key: 'a', value: 'b' }] }),
          result({ shareID, consumedCapacity: { 'example.com/memory': '1024Mi' } }),
          result({ device: 'gpu-1', bindingConditions: ['a'], bindingFailureConditions: ['b'] }),
        ],
        config: [
          { source: 'FromClass', ...opaque({ a: 1 }) },
          { source: 'FromClaim', requests: ['gpu'], ...opaque({}) },
        ],
      },
      nodeSelector: { nodeSelectorTerms: [{ matchFields: [{ key: 'metadata.name', operator: 'In', values: ['n'] }] }] },
      allocationTimestamp: '2026-08-20T10:00:00Z',
    };
    await status('walk', { allocation: allocated });
    await table('/walk');
    await patch('/walk/status', { status: { reservedFor: [consumer('a'), consumer('b', { apiGroup: 'x' })] } });
    await table('/walk');
    const change = [consumer('c'), { uid: 'b', $patch: 'delete' }, { uid: 'a', name: 'renamed' }];
    await patch('/walk/status', { status: { reservedFor: change } }, 'application/strategic-merge-patch+json');
    const operations = [{ op: 'add', path: '/status/reservedFor/-', value: consumer('d') }];
    await patch('/walk/status', operations, jsonPatch);
    const conditions = [
      { type: 'Ready', status: 'True', reason: 'A', message: '', lastTransitionTime: '2026-08-20T10:00:00Z' },
    ];
    const networkData = { interfaceName: 'eth0', ips: ['10.9.8.7/24', '2001:db8::1/64'], hardwareAddress: 'a' };
    const devices = [
      device({ conditions, data: { a: 1 }, networkData }),
      device({ shareID }),
      device({ device: 'gpu-1' }),
    ];
    await patch('/walk/status', { metadata: { labels: { ignored: 'a' } }, spec: {}, status: { devices } });
    await patch('/walk/status', { status: { allocation: { allocationTimestamp: '2026-08-21T10:00:00Z' } } });
    await patch('/walk', { metadata: { finalizers: ['example.com/kept'] } });
    await remove('walk');
    await table('/walk');
    await patch('/walk/status', { status: { reservedFor: [consumer('a'), consumer('c')] } });
    await patch('/walk/status', { status: { reservedFor: [consumer('a')] } });
    await patch('/walk/status', { status: { allocation: null } });
    await patch('/walk/status', { status: { allocation: null, reservedFor: null } });
    await table('/walk');
    await pair.send({ path: `${claims}/walk/status` });
    await patch('/walk', { metadata: { finalizers: null } });
  });
}

/** Invalid statuses of a claim that has a request named `gpu`. */
const invalid: readonly Members[] = [
  { reservedFor: [{}, consumer('a'), consumer('a')] },
  { allocation: allocation(), reservedFor: Array.from({ length: 257 }, (_, index) => consumer(`${index}`)) },
  { allocation: allocation({}, result({ request: 'other' }), result({ request: 'a/b/c' })) },
  { allocation: allocation(result({ driver: '-', pool: 'A/b', device: 'X' }), result({ pool: 'x'.repeat(254) })) },
  { allocation: allocation(...Array.from({ length: 33 }, () => result())) },
  {
    allocation: {
      devices: { config: [{}, { source: 'Other', requests: ['gpu', 'gpu', 'x'], ...opaque([]) }] },
      nodeSelector: { nodeSelectorTerms: [] },
    },
  },
  { allocation: { devices: { config: Array.from({ length: 65 }, () => ({})) } } },
  { allocation: allocation(result({ bindingConditions: ['a', 'a'], bindingFailureConditions: ['-', 'a'] })) },
  { allocation: allocation(result({ bindingConditions: ['a'] }), result({ bindingFailureConditions: ['a'] })) },
  {
    allocation: allocation(
      ...['', 'x', shareID.toUpperCase(), `{${shareID}}`, `urn:uuid:${shareID}`, `urn:uuix:${shareID}`].map((id) =>
        result({ shareID: id }),
      ),
      ...[`(${shareID}}`, shareID.replaceAll('-', ''), shareID.replace('1', 'x'), shareID.replace('-', '0')].map((id) =>
        result({ shareID: id }),
      ),
    ),
  },
  { devices: [device(), {}] },
  { allocation: allocation(result()), devices: [device(), device(), device({ shareID }), device({ pool: '' })] },
  {
    allocation: allocation(result()),
    devices: [device({ conditions: [{}, { type: 'A' }, { type: 'A', status: 'X', reason: '-' }], data: [1] })],
  },
  {
    allocation: allocation(result()),
    devices: [device({ conditions: Array.from({ length: 9 }, (_, index) => ({ type: `t${index}` })), data: 'x' })],
  },
  { allocation: allocation(result()), devices: [device({ data: { text: 'x'.repeat(11_000) } })] },
  {
    allocation: allocation(result()),
    devices: [
      device({
        networkData: {
          interfaceName: 'x'.repeat(257),
          hardwareAddress: 'x'.repeat(129),
          ips: [
            '10.0.0.1/24',
            '10.0.0.1/24',
            '10.0.0.1',
            '10.0.0.1/33',
            '10.0.0.1/-1',
            '10.0.0.1/024',
            '010.0.0.1/24',
            '2001:DB8::1/64',
            '::ffff:10.0.0.1/120',
            '::ffff:10.0.0.1/24',
            '::ffff:a00:1/120',
            '10.0.0.1/99999999999999999999',
            '/24',
            'x/24',
            '',
          ],
        },
      }),
    ],
  },
  {
    allocation: allocation(result()),
    devices: [device({ networkData: { ips: Array.from({ length: 17 }, () => '') } })],
  },
];

function invalidStatuses({ compared, post, status }: Tools): void {
  compared('have a status with rules', async () => {
    await post('rules', { requests: [gpu] });
    for (const one of invalid) await status('rules', one);
    await status('rules', { allocation: {} });
    await status('rules', { allocation: allocation(result()) });
    await status('rules', {});
  });
}

function ownership({ compared, post, patch }: Tools): void {
  compared('have owners of their fields, also in the status', async () => {
    const kind = { apiVersion: 'resource.k8s.io/v1', kind: 'ResourceClaim' };
    await post('owned', { requests: [gpu] });
    await patch('/applied?fieldManager=m', { ...kind, spec: { devices: { requests: [gpu] } } }, applyPatch);
    const apply = (manager: string, status: Members) =>
      patch(`/applied/status?fieldManager=${manager}`, { ...kind, status }, applyPatch);
    await apply('scheduler', {
      allocation: allocation(result(), result({ shareID })),
      reservedFor: [consumer('a'), consumer('b')],
    });
    await apply('driver', { devices: [device({ data: { a: 1 } }), device({ shareID, networkData: { ips: [] } })] });
    await apply('other', { devices: [device({ networkData: { interfaceName: 'eth0' } })] });
    await apply('other', { devices: [device({ data: { a: 2 } })] });
    await apply('scheduler', { allocation: allocation(result(), result({ shareID })), reservedFor: [consumer('b')] });
    await apply('driver', { devices: [] });
  });
}

function quotas({ compared, pair }: Tools): void {
  compared('count in quotas by class', async () => {
    const name = `${namespace}-quotas`;
    await pair.prepare({ method: 'POST', path: '/api/v1/namespaces', json: { metadata: { name } } });
    const root = `/api/v1/namespaces/${name}/resourcequotas`;
    const path = `${deviceGroupPath}/namespaces/${name}/resourceclaims?dryRun=All`;
    const claim = (...requests: Members[]) => ({ metadata: { name: 'claim' }, spec: { devices: { requests } } });
    const post = (...requests: Members[]) => pair.send({ method: 'POST', path, json: claim(...requests) });
    const hard = { 'gpu.deviceclass.resource.k8s.io/devices': '3', 'count/resourceclaims.resource.k8s.io': '99' };
    await pair.prepare({ method: 'POST', path: root, json: { metadata: { name: 'devices' }, spec: { hard } } });
    const used = Object.fromEntries(Object.keys(hard).map((name) => [name, '0']));
    const body = JSON.stringify({ status: { hard, used } });
    // kube-apiserver runs without a controller manager, so the test writes the usage of the quota.
    await pair.prepare({
      method: 'PATCH',
      path: `${root}/devices/status`,
      body,
      headers: { 'content-type': mergePatch },
    });
    const exactly = (more: Members) => ({ name: 'a', exactly: { deviceClassName: 'gpu', ...more } });
    const json = claim(exactly({ count: 4 }));
    // Waits until the caches of both servers have the quota.
    for (const side of pair.sides) {
      for (let attempt = 0; attempt < 100; attempt++) {
        const { text } = await side.send({ method: 'POST', path, json });
        if (text.includes('exceeded quota')) break;
        await new Promise((resolve) => setTimeout(resolve, 50));
      }
    }
    await post(exactly({ count: 3 }));
    await post(exactly({ count: 2 }), { ...exactly({ count: 2 }), name: 'b' });
    await post(exactly({ allocationMode: 'All' }));
    const firstAvailable = [
      { name: 'a', deviceClassName: 'gpu', count: 2 },
      { name: 'b', deviceClassName: 'gpu', count: 4 },
    ];
    await post({ name: 'b', firstAvailable });
  });
}
