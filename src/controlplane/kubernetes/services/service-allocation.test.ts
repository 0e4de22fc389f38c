import type { JsonObject } from '@flotilla/json';
import { describe, expect, it } from 'vitest';
import type { KubeObject } from '../../../api/meta.ts';
import { testClientContext, testDeleteOptions, testWriteOptions } from '../../plane.fixture.ts';
import { specOf } from '../rules/services/service-spec.ts';
import { refusalOf, ServicesTestEnv } from './services.fixture.ts';

const ports = [{ port: 80 }];

function nodePortOf(object: KubeObject): unknown {
  return ((specOf(object).ports as JsonObject[])[0] as JsonObject).nodePort;
}

describe('the allocation of services', () => {
  it('gives a new service an address with an IPAddress object, and deletes both together', async () => {
    const env = await ServicesTestEnv.open();
    const created = await env.create('web', { ports });
    const { clusterIP, clusterIPs, ipFamilies, ipFamilyPolicy } = specOf(created);
    expect([clusterIPs, ipFamilies, ipFamilyPolicy]).toEqual([[clusterIP], ['IPv4'], 'SingleStack']);
    expect(env.addresses.peek('', String(clusterIP))?.object).toMatchObject({
      metadata: { labels: { 'ipaddress.kubernetes.io/managed-by': 'ipallocator.k8s.io' } },
      spec: { parentRef: { resource: 'services', namespace: 'default', name: 'web' } },
    });
    await env.remove('web');
    expect(env.addressNames()).toEqual(['10.96.0.1']);
    await env.create('again', { ports, clusterIP: String(clusterIP) });
  });

  it('refuses addresses that are taken or outside the range', async () => {
    const env = await ServicesTestEnv.open();
    await env.create('web', { ports, clusterIP: '10.96.0.9' });
    const refusal = (ip: string) => refusalOf(env.create('other', { ports, clusterIP: ip }));
    const message = (ip: string, fault: string) =>
      `Service "other" is invalid: spec.clusterIPs: Invalid value: ["${ip}"]: failed to allocate IP ${ip}: ${fault}`;
    for (const ip of ['10.96.0.9', '10.96.0.1']) {
      expect(await refusal(ip)).toBe(message(ip, 'provided IP is already allocated'));
    }
    for (const ip of ['10.97.0.1', '10.96.0.0', '10.96.255.255']) {
      expect(await refusal(ip)).toBe(message(ip, 'the provided network does not match the current range'));
    }
  });

  it('does not allocate an address twice if a client has created or deleted its IPAddress', async () => {
    const env = await ServicesTestEnv.open();
    await env.plane.create('ipaddresses.networking.k8s.io', '10.96.3.3', {
      spec: { parentRef: { resource: 'things', name: 'mine' } },
    });
    expect(await refusalOf(env.create('web', { ports, clusterIP: '10.96.3.3' }))).toContain('already allocated');
    await env.create('web', { ports, clusterIP: '10.96.3.4' });
    await env.addresses.verbs.delete(testClientContext(), '10.96.3.4', testDeleteOptions());
    expect(await refusalOf(env.create('other', { ports, clusterIP: '10.96.3.4' }))).toContain('already allocated');
    await env.remove('web');
    await env.create('other', { ports, clusterIP: '10.96.3.4' });
  });

  it('gives node ports, keeps them on updates, and releases them when the type changes', async () => {
    const env = await ServicesTestEnv.open();
    const created = await env.create('web', { type: 'NodePort', ports });
    const port = nodePortOf(created);
    expect(port).toBeGreaterThanOrEqual(30_000);
    expect(nodePortOf(await env.update('web', { type: 'NodePort', ports: [{ port: 81 }] }))).toBe(port);
    const taken = { type: 'NodePort', ports: [{ port: 80, nodePort: port as number }] };
    expect(await refusalOf(env.create('other', taken))).toBe(
      `Service "other" is invalid: spec.ports[0].nodePort: Invalid value: ${String(port)}: provided port is already allocated`,
    );
    expect(await refusalOf(env.create('other', { type: 'NodePort', ports: [{ port: 80, nodePort: 80 }] }))).toBe(
      'Service "other" is invalid: spec.ports[0].nodePort: Invalid value: 80: provided port is not in the valid range. The range of valid ports is 30000-32767',
    );
    const changed = await env.update('web', { type: 'ClusterIP', ports });
    expect([nodePortOf(changed), specOf(changed).clusterIP]).toEqual([undefined, specOf(created).clusterIP]);
    await env.create('other', taken);
  });

  it('gives ports with the same number and different protocols the same node port', async () => {
    const env = await ServicesTestEnv.open();
    const both = ['TCP', 'UDP'].map((protocol) => ({ name: protocol.toLowerCase(), port: 53, protocol }));
    const { ports: given } = specOf(await env.create('dns', { type: 'NodePort', ports: both }));
    const numbers = (given as JsonObject[]).map(({ nodePort }) => nodePort);
    expect(numbers[0]).toBe(numbers[1]);
  });

  it('gives a load balancer with local traffic a port for health checks', async () => {
    const env = await ServicesTestEnv.open();
    const local = { type: 'LoadBalancer', ports, externalTrafficPolicy: 'Local', healthCheckNodePort: 30_300 };
    const created = await env.create('web', local);
    expect(specOf(created).healthCheckNodePort).toBe(30_300);
    expect(await refusalOf(env.create('other', local))).toBe(
      'Internal error occurred: failed to allocate requested HealthCheck NodePort 30300: provided port is already allocated',
    );
    await env.update('web', { ...local, healthCheckNodePort: 0, externalTrafficPolicy: 'Cluster' });
    await env.create('other', local);
  });

  it('creates and deletes the IPAddress when the type changes', async () => {
    const env = await ServicesTestEnv.open();
    await env.create('web', { type: 'ExternalName', externalName: 'a.example' });
    expect(env.addressNames()).toEqual(['10.96.0.1']);
    const { clusterIP } = specOf(await env.update('web', { type: 'ClusterIP', ports }));
    expect(env.addressNames()).toContain(clusterIP);
    const renamed = await env.update('web', { type: 'ExternalName', externalName: 'a.example', ports });
    expect(specOf(renamed)).toEqual({
      ports: [{ protocol: 'TCP', port: 80, targetPort: 80 }],
      sessionAffinity: 'None',
      type: 'ExternalName',
      externalName: 'a.example',
    });
    expect(env.addressNames()).toEqual(['10.96.0.1']);
  });

  it('gives allocated values no owner, and responds to a delete with the service', async () => {
    const env = await ServicesTestEnv.open();
    const created = await env.create('web', { type: 'NodePort', ports });
    const owned = JSON.stringify(created.metadata.managedFields);
    expect(owned).toContain('f:externalTrafficPolicy');
    for (const member of ['clusterIP', 'ipFamilies', 'nodePort']) expect(owned).not.toContain(member);
    const deleted = await env.services.verbs.delete(testClientContext('default'), 'web', testDeleteOptions());
    expect('pending' in deleted ? deleted.pending.object.spec : undefined).toEqual(created.spec);
  });

  it('keeps the address while a finalizer blocks the deletion', async () => {
    const env = await ServicesTestEnv.open();
    const spec = { ports, clusterIP: '10.96.0.9' };
    const held = env.decoded('held', spec, { finalizers: ['a.example/b'] });
    await env.services.verbs.create(testClientContext('default'), held, testWriteOptions);
    await env.remove('held');
    expect(await refusalOf(env.create('other', spec))).toContain('already allocated');
    await env.update('held', spec);
    await env.create('other', spec);
  });

  it('allocates nothing in a dry run', async () => {
    const env = await ServicesTestEnv.open();
    const dry = await env.create('web', { type: 'NodePort', ports }, { dryRun: true });
    expect(env.addressNames()).toEqual(['10.96.0.1']);
    const { clusterIP } = specOf(dry);
    await env.create('web', {
      type: 'NodePort',
      clusterIP: String(clusterIP),
      ports: [{ port: 80, nodePort: nodePortOf(dry) as number }],
    });
  });

  it('knows the addresses and ports of stored services after a restart', async () => {
    const first = await ServicesTestEnv.open();
    const spec = { type: 'NodePort', clusterIP: '10.96.7.7', ports: [{ port: 80, nodePort: 30_700 }] };
    await first.create('web', spec);
    const second = await ServicesTestEnv.open(first.plane.store);
    expect(await refusalOf(second.create('other', spec))).toContain('10.96.7.7: provided IP is already allocated');
    const { clusterIP: _, ...withoutAddress } = spec;
    expect(await refusalOf(second.create('other', withoutAddress))).toContain('provided port is already allocated');
  });

  it('reports that no node port is free', async () => {
    const env = await ServicesTestEnv.open();
    const many = (count: number) => ({
      type: 'NodePort',
      ports: Array.from({ length: count }, (_, index) => ({ name: `p${index}`, port: index + 1 })),
    });
    const created = await env.create('all', many(2768));
    expect(new Set((specOf(created).ports as JsonObject[]).map(({ nodePort }) => nodePort)).size).toBe(2768);
    expect(await refusalOf(env.create('more', many(1)))).toBe(
      'Internal error occurred: failed to allocate a nodePort: range is full',
    );
  });

  it('reserves the address of the service of the API server', async () => {
    const env = await ServicesTestEnv.open();
    expect(env.services.peek('default', 'kubernetes')?.object).toMatchObject({
      spec: { clusterIP: '10.96.0.1', ports: [{ name: 'https', port: 443 }] },
    });
    await env.remove('kubernetes');
    expect(await refusalOf(env.create('other', { ports, clusterIP: '10.96.0.1' }))).toContain('already allocated');
    await env.create('kubernetes', { ports, clusterIP: '10.96.0.1' });
  });
});
