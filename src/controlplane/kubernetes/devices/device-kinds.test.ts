import type { JsonObject } from '@flotilla/json';
import { beforeEach, describe, expect, it } from 'vitest';
import { Kinds, refusal } from '../kubernetes-kinds.fixture.ts';

const classes = 'deviceclasses.resource.k8s.io';
const templates = 'resourceclaimtemplates.resource.k8s.io';

let kinds: Kinds;
beforeEach(async () => {
  kinds = await Kinds.open();
});

const selecting = (...expressions: string[]): JsonObject => ({
  selectors: expressions.map((expression) => ({ cel: { expression } })),
});
const templateOf = (devices: JsonObject): JsonObject => ({ spec: { spec: { devices } } });
const gpu = { name: 'gpu', exactly: { deviceClassName: 'gpu' } };

describe('device classes', () => {
  it('may use attributes, capacities and cel.bind in selectors', async () => {
    const spec = selecting(
      'device.driver == "gpu.example.com" && device.attributes["gpu.example.com"].ready',
      'device.capacity["gpu.example.com"].memory.isGreaterThan(quantity("1Gi"))',
      'cel.bind(gpu, device.attributes["gpu.example.com"], gpu.ready && gpu.model == "a")',
    );
    expect((await kinds.create(classes, 'gpu', { spec })).spec).toEqual(spec);
  });

  it('are refused if a selector does not compile, is not a condition or is too expensive', async () => {
    const create = (expression: string) => refusal(kinds.create(classes, 'gpu', { spec: selecting(expression) }));
    expect(await create('device.unknown')).toContain('compilation failed: ERROR: <input>:1:7: undefined field');
    expect(await create('1')).toContain('must evaluate to bool or the unknown type, not int');
    const nested = ['a', 'b', 'c', 'd'].reduceRight(
      (inner, name) => `device.attributes.all(${name}, ${inner})`,
      'a == b && c == d',
    );
    expect(await create(nested)).toContain('spec.selectors[0].cel.expression: Forbidden: too complex');
  });

  it('are refused if all selectors together take too long to compile', async () => {
    const long = (index: number) => `device.driver == "${index}${'x'.repeat(10_000)}"`;
    const spec = selecting(...Array.from({ length: 32 }, (_, index) => long(index)));
    expect(await refusal(kinds.create(classes, 'gpu', { spec }))).toContain('take too long to compile');
  });

  it.each([[[]], ['x'], [1], [true]])(
    'are refused if their configuration is %j instead of an object',
    async (parameters) => {
      const config = [{ opaque: { driver: 'gpu.example.com', parameters } }];
      expect(await refusal(kinds.create(classes, 'gpu', { spec: { config } }))).toBe(
        'DeviceClass.resource.k8s.io "gpu" is invalid: spec.config[0].opaque.parameters: Invalid value: "<value omitted>": must be a valid JSON object',
      );
    },
  );

  it('get a new generation when their spec changes', async () => {
    const created = await kinds.create(classes, 'gpu', { spec: {} });
    expect(created.metadata.generation).toBe(1);
    expect((await kinds.update(classes, created, { spec: selecting('true') })).metadata.generation).toBe(2);
  });
});

describe('templates for device claims', () => {
  it('request one device by default', async () => {
    const { spec } = await kinds.create(templates, 'gpu', templateOf({ requests: [gpu] }));
    const exactly = { deviceClassName: 'gpu', allocationMode: 'ExactCount', count: 1 };
    expect(spec).toMatchObject({ spec: { devices: { requests: [{ name: 'gpu', exactly }] } } });
  });

  it('may name only requests that they contain', async () => {
    const constraints = [{ requests: ['gpu/big', 'other'], matchAttribute: 'example.com/model' }];
    const message = await refusal(kinds.create(templates, 'gpu', templateOf({ requests: [gpu], constraints })));
    expect(message).toContain(
      'spec.spec.devices.constraints[0].requests[0]: Invalid value: "gpu/big": must be the name',
    );
    expect(message).toContain('spec.spec.devices.constraints[0].requests[1]: Invalid value: "other": must be the name');
  });

  it('keep their spec', async () => {
    const created = await kinds.create(templates, 'gpu', templateOf({ requests: [gpu] }));
    expect(await refusal(kinds.update(templates, created, templateOf({})))).toContain('field is immutable');
  });

  it('request admin access only in namespaces that permit it', async () => {
    const admin = { name: 'admin', exactly: { deviceClassName: 'gpu', adminAccess: true } };
    const create = () => kinds.create(templates, 'gpu', templateOf({ requests: [admin] }));
    expect(await refusal(create())).toContain('admin access to devices requires');
    const namespace = kinds.store('namespaces').peek('', 'default')?.object;
    if (namespace === undefined) throw new Error('the plane has no namespace default');
    const labels = { 'resource.kubernetes.io/admin-access': 'true' };
    await kinds.update('namespaces', namespace, { metadata: { ...namespace.metadata, labels } as JsonObject });
    expect((await create()).metadata.name).toBe('gpu');
  });
});

describe('slices of device pools', () => {
  const slices = 'resourceslices.resource.k8s.io';
  const pool = { name: 'node-1', generation: 1, resourceSliceCount: 1 };
  const spec = { driver: 'gpu.example.com', pool, nodeName: 'node-1' };

  it('lose the fields of disabled features', async () => {
    const devices = [{ name: 'a', attributes: { model: { string: 'x', ints: [1] } } }];
    const created = await kinds.create(slices, 'gpu', { spec: { ...spec, devices } });
    expect(created.spec).toEqual({ ...spec, devices: [{ name: 'a', attributes: { model: { string: 'x' } } }] });
  });

  it('need a way to find their nodes', async () => {
    const { nodeName: _, ...anywhere } = spec;
    expect(await refusal(kinds.create(slices, 'gpu', { spec: anywhere }))).toContain(
      'spec: Required value: exactly one',
    );
  });

  it('have a smaller limit for devices with taints', async () => {
    const devices = Array.from({ length: 65 }, (_, index) => ({ name: `gpu-${index}` }));
    const taints = [{ key: 'a', effect: 'NoSchedule' }];
    const tainted = devices.map((device, index) => (index === 0 ? { ...device, taints } : device));
    const message = await refusal(kinds.create(slices, 'tainted', { spec: { ...spec, devices: tainted } }));
    expect(message).toContain('spec.devices: Too many: 65: must have at most 64 items');
    expect((await kinds.create(slices, 'gpu', { spec: { ...spec, devices } })).metadata.generation).toBe(1);
  });

  it('refuse policies whose amounts do not fit the capacity, and steps of zero', async () => {
    const create = (requestPolicy: JsonObject) => {
      const capacity = { memory: { value: '10', requestPolicy } };
      const devices = [{ name: 'a', allowMultipleAllocations: true, capacity }];
      return refusal(kinds.create(slices, 'gpu', { spec: { ...spec, devices } }));
    };
    expect(await create({ default: '1', validValues: ['1', '11'] })).toContain('option is larger than capacity value');
    expect(await create({ default: '1', validRange: { min: '1', step: '0' } })).toContain('must not be zero');
  });
});
