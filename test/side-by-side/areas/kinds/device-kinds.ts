import { describe } from 'vitest';
import { comparedTests } from '../../area.ts';
import { applyPatch, asTable, mergePatch } from '../../gadgets.ts';
import type { Pair } from '../../pair.ts';

export const deviceGroupPath = '/apis/resource.k8s.io/v1';
const age = { ignoredFields: /\.cells\[\d+\]$|timeAdded/ };

/** Compares device classes, claim templates and slices. */
export function deviceKinds(pair: Pair): void {
  describe('Devices', () => {
    const compared = comparedTests(pair);
    const post = (path: string, name: string, spec?: unknown, metadata = {}) =>
      pair.send({ method: 'POST', path, json: { metadata: { name, ...metadata }, spec } }, age);
    const patch = (path: string, change: unknown, type = mergePatch) =>
      pair.send({ method: 'PATCH', path, body: JSON.stringify(change), headers: { 'content-type': type } }, age);
    const table = (path: string) => pair.send({ path, headers: { accept: asTable } });

    const remove = (path: string) => pair.send({ method: 'DELETE', path }, age);
    const tools: Tools = { compared, post, patch, table, remove };
    deviceClasses(tools);
    claimTemplates(tools);
    slices(tools, pair);
  });
}

interface Tools {
  readonly compared: ReturnType<typeof comparedTests>;
  post(path: string, name: string, spec?: unknown, metadata?: object): Promise<unknown>;
  patch(path: string, change: unknown, type?: string): Promise<unknown>;
  table(path: string): Promise<unknown>;
  remove(path: string): Promise<unknown>;
}

const selector = (expression: string) => ({ cel: { expression } });
export const opaque = (parameters: unknown, driver = 'gpu.example.com') => ({ opaque: { driver, parameters } });

function deviceClasses({ compared, post, patch, table, remove }: Tools): void {
  const classes = `${deviceGroupPath}/deviceclasses`;

  compared('have classes with rules and columns', async () => {
    await post(classes, 'empty');
    await post(classes, 'gpu', {
      selectors: [selector('device.driver == "gpu.example.com"')],
      config: [opaque({ kind: 'X', a: [1] })],
      extendedResourceName: 'example.com/gpu',
    });
    await post(classes, 'Bad_Name', {});
    await post(classes, 'bad', {
      selectors: [{}, selector('')],
      config: [
        {},
        opaque({}, 'Not a name'),
        ...[{ text: 'x'.repeat(11_000) }, [], 'x', 1, false, null].map((parameters) => opaque(parameters)),
      ],
      extendedResourceName: 'cpu',
    });
    await post(classes, 'many', {
      selectors: Array.from({ length: 33 }, () => selector('true')),
      config: Array.from({ length: 33 }, () => opaque({ a: 1 })),
    });
    await table(`${classes}/gpu`);
    await patch(`${classes}/gpu`, { metadata: { labels: { a: 'b' } } });
    await patch(`${classes}/gpu`, { spec: { selectors: [selector('device.allowMultipleAllocations')] } });
    await patch(`${classes}/gpu`, { spec: { extendedResourceName: 'x' } });
    const applied = { apiVersion: 'resource.k8s.io/v1', kind: 'DeviceClass', spec: { config: [opaque({ b: 1 })] } };
    await patch(`${classes}/applied?fieldManager=m`, applied, applyPatch);
    await remove(`${classes}/applied`);
  });

  compared('have selectors that are compiled, with a limited cost', async () => {
    const expressions = [
      'device.attributes["gpu.example.com"].model == "a"',
      'device.attributes["gpu.example.com"].ready',
      'device.capacity["gpu.example.com"].memory.isGreaterThan(quantity("1Gi"))',
      'cel.bind(gpu, device.attributes["gpu.example.com"], gpu.ready && gpu.model.startsWith("a"))',
      'cel.bind(a.b, 1, true)',
      'device.attributes["gpu.example.com"].version.isGreaterThan(semver("1.0.0"))',
      'device.attributes.exists(d, device.attributes[d].exists(k, k == "a"))',
      'device.attributes.all(a, device.attributes.all(b, device.attributes.all(c, device.attributes.all(d, a == b && c == d))))',
      'device.attributes["a"].b.matches("x*") && device.attributes["a"].c.matches("y*")',
      'device.unknown == 1',
      'unknown',
      '1 + 1',
      'device.driver +',
      'x'.repeat(10_241),
    ];
    for (const [index, expression] of expressions.entries()) {
      await post(classes, `selector-${index}`, { selectors: [selector(expression)] });
    }
  });
}

export const gpu = { name: 'gpu', exactly: { deviceClassName: 'gpu' } };

/** Invalid specs of claims, each with a different error. */
export const invalidClaims: readonly object[] = [
  { requests: [{ name: 'a' }, { name: 'a' }, { name: 'Bad_Name', exactly: {} }] },
  { requests: [{ name: 'both', exactly: { deviceClassName: 'x' }, firstAvailable: [{ name: 'y' }] }] },
  {
    requests: [
      { name: 'all', exactly: { deviceClassName: 'gpu', allocationMode: 'All', count: 2 } },
      { name: 'count', exactly: { deviceClassName: 'gpu', count: -1, selectors: [{}, selector('1')] } },
      { name: 'mode', exactly: { deviceClassName: 'Gpu', allocationMode: 'Some' } },
      {
        name: 'tolerant',
        exactly: {
          deviceClassName: 'gpu',
          tolerations: [
            { key: '-', operator: 'Exists', value: 'x' },
            { operator: 'Other', effect: 'Other' },
            { key: 'a', value: '-' },
          ],
        },
      },
    ],
  },
  {
    requests: [gpu, { name: 'first', firstAvailable: [{ name: 'x', deviceClassName: 'gpu' }, { name: 'x' }] }],
    constraints: [
      {},
      { requests: ['gpu', 'gpu', 'other', 'first/x', 'first/y', 'a/b/c'], matchAttribute: 'model' },
      { distinctAttribute: '/' },
      { matchAttribute: `Example.com/${'x'.repeat(33)}` },
    ],
    config: [{ requests: ['none'] }, { requests: ['gpu'], ...opaque({ a: 1 }) }],
  },
  { requests: Array.from({ length: 33 }, () => gpu), constraints: Array.from({ length: 33 }, () => ({})) },
];

function claimTemplates({ compared, post, patch, table, remove }: Tools): void {
  const templates = `${deviceGroupPath}/namespaces/default/resourceclaimtemplates`;

  compared('have templates for claims, with rules and columns', async () => {
    await post(templates, 'empty');
    await post(templates, 'gpu', { metadata: { labels: { a: 'b' } }, spec: { devices: { requests: [gpu] } } });
    for (const [index, devices] of invalidClaims.entries()) {
      await post(templates, `invalid-${index}`, { metadata: { name: 'x' }, spec: { devices } });
    }
    const admin = { name: 'admin', exactly: { deviceClassName: 'gpu', adminAccess: true } };
    await post(templates, 'admin', { spec: { devices: { requests: [gpu, admin] } } });
    await table(`${templates}/gpu`);
    await patch(`${templates}/gpu`, { metadata: { labels: { a: 'b' } } });
    await patch(`${templates}/gpu`, { spec: { spec: { devices: { requests: [] } } } });
    await remove(`${templates}/gpu`);
  });
}

/**
 * Invalid devices, each with different errors. Maps have one entry, because Kubernetes reports entries in random order.
 */
const invalidDevices: readonly object[] = [
  {},
  { name: 'a', attributes: { model: { string: 'x'.repeat(65) } }, capacity: { 'example.com/': { value: '1' } } },
  { name: 'b', attributes: { '/x': { version: '1.2' } }, capacity: { '-': { value: '1', requestPolicy: {} } } },
  { name: 'c', attributes: { a: {} } },
  {
    name: 'd',
    attributes: { a: { ints: [1] } },
    taints: [
      { key: 'a', effect: 'Other' },
      { key: '-', value: '-' },
    ],
  },
  { name: 'e', consumesCounters: [{}, { counterSet: 'A' }] },
  { name: 'f', nodeName: 'x', bindingConditions: ['a', 'a'], bindingFailureConditions: ['a', '-'] },
  { name: 'g', bindingConditions: ['a'] },
  { name: 'h', bindingFailureConditions: ['a'] },
];

/** Policies for requests of a device capacity of 10. */
const policies: readonly object[] = [
  { default: '1', validValues: ['1', '2'], validRange: { min: '1' } },
  { validValues: ['1'] },
  { validRange: {} },
  { default: '3', validValues: ['2', '1', '1', '11'] },
  { default: '1', validRange: {} },
  { default: '1', validRange: { min: '11', max: '10', step: '2' } },
  { default: '4', validRange: { min: '1', max: '11', step: '2' } },
  { default: '3', validRange: { min: '1', max: '9', step: '2' } },
];

function slices({ compared, post, patch, table, remove }: Tools, pair: Pair): void {
  const path = `${deviceGroupPath}/resourceslices`;
  const pool = { name: 'node-1', generation: 1, resourceSliceCount: 1 };
  const spec = { driver: 'gpu.example.com', pool, nodeName: 'node-1' };

  compared('are offered in slices of pools, with rules and columns', async () => {
    await post(path, 'empty', {});
    const attributes = { model: { string: 'a' }, version: { version: '1.2.3' }, size: { int: 1 }, ok: { bool: true } };
    const taints = [{ key: 'a', effect: 'NoSchedule' }];
    const devices = [{ name: 'gpu-0', attributes, capacity: { memory: { value: '1024Mi' } }, taints }];
    await post(path, 'gpu', { ...spec, devices });
    await table(`${path}/gpu`);
    await pair.send({ path: `${path}?fieldSelector=spec.nodeName%3Dother,spec.driver%3Dx` });
    await patch(`${path}/gpu`, { spec: { driver: 'x', nodeName: 'y', pool: { name: 'z' } } });
    await patch(`${path}/gpu`, { spec: { pool: { generation: 2 } } });
    await remove(`${path}/gpu`);
    await post(path, 'upper', { ...spec, driver: 'GPU.example.com' });
    const wrongPool = { name: 'A/b', generation: -1, resourceSliceCount: 0 };
    await post(path, 'pool', { driver: '-', pool: wrongPool, nodeName: '', allNodes: false });
    await post(path, 'nodes', { ...spec, nodeSelector: { nodeSelectorTerms: [] }, allNodes: true });
    await post(path, 'both', { ...spec, devices: [{ name: 'a' }], sharedCounters: [{ name: 'a' }, {}, { name: 'A' }] });
    await post(path, 'shared', { ...spec, sharedCounters: [{ name: 'a', counters: { b: { value: '1' } } }] });
    const { nodeName: _, ...anywhere } = spec;
    const each = { ...anywhere, perDeviceNodeSelection: true };
    const selecting = [{ name: 'a' }, { name: 'b', nodeName: 'x', allNodes: true }, { name: 'b', nodeName: '' }];
    await post(path, 'each', { ...each, devices: selecting });
    await post(path, 'many', { ...spec, devices: Array.from({ length: 129 }, (_none, n) => ({ name: `d${n}` })) });
  });

  compared('have attributes, capacities and taints with rules', async () => {
    for (const [index, device] of invalidDevices.entries()) {
      await post(path, `device-${index}`, { ...spec, devices: [device] });
    }
    for (const [index, requestPolicy] of policies.entries()) {
      const device = {
        name: 'a',
        allowMultipleAllocations: true,
        capacity: { memory: { value: '10', requestPolicy } },
      };
      await post(path, `policy-${index}`, { ...spec, devices: [device] });
    }
  });
}
