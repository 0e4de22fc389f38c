import type { JsonObject, JsonValue } from '@flotilla/json';
import { beforeEach, describe, expect, it } from 'vitest';
import type { KubeObject } from '../../../api/meta.ts';
import type { AccessAttributes, RequestContext } from '../../../registry/context.ts';
import { testWriteOptions } from '../../plane.fixture.ts';
import { Kinds, refusal } from '../kubernetes-kinds.fixture.ts';

const claims = 'resourceclaims.resource.k8s.io';

let kinds: Kinds;
let claim: KubeObject;
beforeEach(async () => {
  kinds = await Kinds.open();
  claim = await create('claim', [gpu]);
});

const gpu = { name: 'gpu', exactly: { deviceClassName: 'gpu' } };
const device = (name = 'gpu-0', driver = 'gpu.example.com') => ({ driver, pool: 'node-1', device: name });
const result = (more: JsonObject = {}) => ({ request: 'gpu', ...device(), ...more });
const allocation = (...results: JsonObject[]) => ({ devices: { results } });
const consumer = (uid: string) => ({ resource: 'pods', name: 'pod', uid });

const create = (name: string, requests: JsonValue[]) => kinds.create(claims, name, { spec: { devices: { requests } } });
// Without a resourceVersion, a status write succeeds whatever the stored version is.
const metadata = { name: 'claim' };
const setStatus = (status: JsonObject) => kinds.updateStatus(claims, claim, { metadata, status });

describe('claims for devices', () => {
  it('request one device by default, and lose a status that is sent with them', async () => {
    const sent = { spec: { devices: { requests: [gpu] } }, status: { allocation: allocation(result()) } };
    const created = await kinds.create(claims, 'other', sent);
    const exactly = { deviceClassName: 'gpu', allocationMode: 'ExactCount', count: 1 };
    expect(created.spec).toEqual({ devices: { requests: [{ name: 'gpu', exactly }] } });
    expect(created.status).toEqual({});
  });

  it('keep their spec', async () => {
    const message = await refusal(kinds.update(claims, claim, { spec: { devices: { requests: [] } } }));
    expect(message).toContain('field is immutable');
    expect(
      (await kinds.update(claims, claim, { metadata: { ...claim.metadata, labels: { a: 'b' } } as JsonObject }))
        .metadata.labels,
    ).toEqual({ a: 'b' });
  });

  it('show in a column whether they are allocated and reserved', async () => {
    expect(kinds.cells(claims, claim)[1]).toBe('pending');
    const allocated = await setStatus({ allocation: allocation(result()) });
    expect(kinds.cells(claims, allocated)[1]).toBe('allocated');
    const reserved = await setStatus({ allocation: allocation(result()), reservedFor: [consumer('a')] });
    expect(kinds.cells(claims, reserved)[1]).toBe('allocated,reserved');
    const deleted = { ...reserved.metadata, deletionTimestamp: '2026-08-20T10:00:00Z' };
    expect(kinds.cells(claims, { ...reserved, metadata: deleted })[1]).toBe('deleted,allocated,reserved');
    expect(kinds.cells(claims, { ...claim, metadata: deleted })[1]).toBe('deleted');
  });

  it('request admin access only in namespaces that permit it', async () => {
    const admin = { name: 'admin', exactly: { deviceClassName: 'gpu', adminAccess: true } };
    expect(await refusal(create('admin', [admin]))).toContain(
      'spec.devices.requests[0].adminAccess: Forbidden: admin access to devices requires',
    );
    expect(await refusal(setStatus({ allocation: allocation(result({ adminAccess: true })) }))).toContain(
      'status.allocation.devices.results[0].adminAccess: Forbidden: admin access to devices requires',
    );
    const namespace = kinds.store('namespaces').peek('', 'default')?.object;
    if (namespace === undefined) throw new Error('the plane has no namespace default');
    const labels = { 'resource.kubernetes.io/admin-access': 'true' };
    await kinds.update('namespaces', namespace, { metadata: { ...namespace.metadata, labels } as JsonObject });
    expect((await create('admin', [admin])).metadata.name).toBe('admin');
    await setStatus({ allocation: allocation(result({ adminAccess: true })) });
  });
});

describe('the status of a claim', () => {
  it('has an allocation that can be set and removed, but not changed', async () => {
    await setStatus({ allocation: allocation(result()) });
    expect(await refusal(setStatus({ allocation: allocation(result({ device: 'gpu-1' })) }))).toContain(
      'status.allocation: Invalid value: ',
    );
    await setStatus({});
    await setStatus({ allocation: allocation(result({ device: 'gpu-1' })) });
  });

  it('loses the reports about devices that are deallocated', async () => {
    const devices = [{ ...device(), conditions: null }];
    const reported = await setStatus({ allocation: allocation(result()), devices });
    expect(reported.status).toMatchObject({ devices: [device()] });
    expect((await setStatus({ devices })).status).toEqual({});
  });

  it('may report only on allocated devices, each once', async () => {
    const devices = [device(), device('gpu-1'), device('gpu-1')];
    const message = await refusal(setStatus({ allocation: allocation(result()), devices }));
    const shown = '{"Driver":"gpu.example.com","Pool":"node-1","Device":"gpu-1","ShareID":""}';
    expect(message).toContain(`status.devices[1]: Invalid value: ${shown}: must be an allocated device in the claim`);
    expect(message).toContain(`status.devices[2]: Duplicate value: ${shown}`);
  });

  it('is reserved only while it is allocated, and gets no new consumers while it is deleted', async () => {
    expect(await refusal(setStatus({ reservedFor: [consumer('a')] }))).toContain(
      'status.reservedFor: Forbidden: may not be specified when `allocated` is not set',
    );
    await kinds.update(claims, claim, { metadata: { ...metadata, finalizers: ['example.com/kept'] } });
    await setStatus({ allocation: allocation(result()), reservedFor: [consumer('a')] });
    await kinds.remove(claims, 'claim');
    const reserve = (...reservedFor: JsonObject[]) => setStatus({ allocation: allocation(result()), reservedFor });
    expect(await refusal(reserve(consumer('a'), consumer('b')))).toContain('new entries may not be added while');
    await reserve(consumer('a'));
  });

  it.each([
    ['', 'invalid UUID length: 0'],
    ['x', 'invalid UUID length: 1'],
    ['g2345678-1234-1234-1234-123456789abc', 'invalid UUID format'],
    ['{12345678-1234-1234-1234-123456789abc)', 'invalid bracketed UUID format'],
    ['urn:uuix:12345678-1234-1234-1234-123456789abc', 'invalid urn prefix: "urn:uuix:"'],
    ['12345678123412341234123456789abc', 'uid must be in RFC 4122 normalized form'],
    ['12345678-1234-1234-1234-123456789ABC', 'uid must be in RFC 4122 normalized form'],
  ])('refuses the share %j of a device: %s', async (shareID, fault) => {
    const message = await refusal(setStatus({ allocation: allocation(result({ shareID })) }));
    expect(message).toContain(`status.allocation.devices.results[0].shareID: Invalid value: "${shareID}": `);
    expect(message).toContain(fault);
  });

  it.each([
    ['10.0.0.1/24', ''],
    ['2001:db8::1/64', ''],
    ['10.0.0.1', 'must be a valid address in CIDR form'],
    ['10.0.0.1/33', 'must be a valid address in CIDR form'],
    ['10.0.0.1/x', 'must be a valid address in CIDR form'],
    ['10.0.0.1/024', 'must be in canonical form ("10.0.0.1/24")'],
    ['010.0.0.1/24', 'must be in canonical form ("10.0.0.1/24")'],
    ['2001:DB8:0::1/64', 'must be in canonical form ("2001:db8::1/64")'],
    ['::ffff:10.0.0.1/120', 'must be in canonical form ("10.0.0.1/24")'],
    ['::ffff:a00:1/120', 'must be in canonical form ("10.0.0.1/24")'],
  ])('checks the address %s of an interface', async (address, fault) => {
    const devices = [{ ...device(), networkData: { ips: [address] } }];
    const call = setStatus({ allocation: allocation(result()), devices });
    if (fault === '') await call;
    else
      expect(await refusal(call)).toContain(
        `status.devices[0].networkData.ips[0]: Invalid value: "${address}": ${fault}`,
      );
  });
});

describe('permissions to write the status of a claim', () => {
  const node = { nodeSelectorTerms: [{ matchFields: [{ key: 'metadata.name', operator: 'In', values: ['node-1'] }] }] };
  const account = 'system:serviceaccount:default:driver';

  /** Writes the status as a user who has only the permissions that `isAllowed` accepts. */
  function writeAs(
    status: JsonObject,
    isAllowed: (asked: AccessAttributes) => boolean,
    more: Partial<RequestContext> = {},
  ): Promise<unknown> {
    const store = kinds.store(claims).status;
    if (store === undefined) throw new Error('claims have no status');
    const context = { ...kinds.context(), verb: 'patch', ...more, may: isAllowed };
    const next = kinds.decoded(claims, { ...(claim as JsonObject), metadata, status });
    return store.update(context, 'claim', next, testWriteOptions);
  }

  it('are needed to allocate and to reserve it, in all namespaces, with the verb of the request', async () => {
    const asked: AccessAttributes[] = [];
    const status = { allocation: allocation(result()), reservedFor: [consumer('a')] };
    const message = await refusal(
      writeAs(status, (attributes) => {
        asked.push(attributes);
        return false;
      }),
    );
    const { name } = kinds.context().user;
    expect(message).toBe(
      'ResourceClaim.resource.k8s.io "claim" is invalid: status.allocation: Forbidden: changing status.allocation or status.reservedFor requires resource="resourceclaims/binding", verb="patch" permission: ' +
        `resourceclaims.resource.k8s.io is forbidden: User "${name}" cannot patch resource "resourceclaims/binding" in API group "resource.k8s.io" at the cluster scope`,
    );
    const group = { group: 'resource.k8s.io', resource: 'resourceclaims' };
    expect(asked).toEqual([{ ...group, verb: 'patch', subresource: 'binding', namespace: '', name: '' }]);
    await writeAs(status, ({ subresource }) => subresource === 'binding');
  });

  it('are needed for each driver whose devices change', async () => {
    const results = [result(), result(device('a', 'other.example.com'))];
    await setStatus({ allocation: allocation(...results), devices: [device(), device('a', 'other.example.com')] });
    const status = (data: JsonObject) => ({
      allocation: allocation(...results),
      devices: [{ ...device(), data }, device('a', 'other.example.com')],
    });
    expect(await refusal(writeAs(status({ a: 1 }), () => false))).toContain(
      'status.devices: Forbidden: changing status.devices requires resource="resourceclaims/driver", verb="[arbitrary-node:patch]" permission: resourceclaims.resource.k8s.io "gpu.example.com" is forbidden',
    );
    await writeAs(status({ a: 1 }), ({ verb, name, namespace }) => {
      return verb === 'arbitrary-node:patch' && name === 'gpu.example.com' && namespace === 'default';
    });
    // The status does not change, so no permission is needed.
    await writeAs(status({ a: 1 }), () => false);
  });

  it('may be limited to the node of a driver', async () => {
    const allocated = { ...allocation(result()), nodeSelector: node };
    await setStatus({ allocation: allocated });
    const status = { allocation: allocated, devices: [device()] };
    const onNode = (name: string, user = account): Partial<RequestContext> => ({
      user: { name: user, groups: [], extra: { 'authentication.kubernetes.io/node-name': [name] } },
    });
    const isAllowed = ({ verb }: AccessAttributes) => verb === 'associated-node:patch';
    expect(await refusal(writeAs(status, isAllowed, onNode('node-2')))).toContain('verb="[arbitrary-node:patch]"');
    expect(await refusal(writeAs(status, isAllowed, onNode('node-1', 'person')))).toContain('[arbitrary-node:patch]');
    expect(await refusal(writeAs(status, () => false, onNode('node-1')))).toContain(
      'verb="[associated-node:patch arbitrary-node:patch]"',
    );
    await writeAs(status, isAllowed, onNode('node-1'));
  });

  it('are checked for a limited number of drivers, because a status with more is invalid', async () => {
    await setStatus({ allocation: allocation(result()) });
    const devices = Array.from({ length: 500 }, (_, index) => device('a', `driver-${index}.example.com`));
    let checks = 0;
    await refusal(
      writeAs({ allocation: allocation(result()), devices }, () => {
        checks++;
        return true;
      }),
    );
    expect(checks).toBe(64);
  });
});
