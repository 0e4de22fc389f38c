import { describe, expect, it, vi } from 'vitest';
import { customResourcesPart } from '../custom/custom-resources-part.ts';
import { openPlaneTestEnv, type PlaneTestEnv } from '../plane.fixture.ts';
import { kubernetesKindsPart } from './kubernetes-kinds-part.ts';

const services = 'apiservices.apiregistration.k8s.io';
const definitions = 'customresourcedefinitions.apiextensions.k8s.io';

function open(): Promise<PlaneTestEnv> {
  return openPlaneTestEnv({
    parts: (dependencies) => [kubernetesKindsPart(dependencies), customResourcesPart(dependencies)],
  });
}

function definition(...versions: string[]) {
  const schema = { openAPIV3Schema: { type: 'object' } };
  return {
    spec: {
      group: 'ships.test',
      scope: 'Namespaced',
      names: { plural: 'boats', kind: 'Boat' },
      versions: versions.map((name, index) => ({ name, served: true, storage: index === 0, schema })),
    },
  };
}

describe('API services', () => {
  it('exist for built-in groups from the start', async () => {
    const env = await open();
    expect(env.peek(services, 'v1.apps')).toMatchObject({
      metadata: { labels: { 'kube-aggregator.kubernetes.io/automanaged': 'onstart' } },
      spec: { group: 'apps', version: 'v1', groupPriorityMinimum: 17_800, versionPriority: 15 },
      status: { conditions: [{ type: 'Available', status: 'True', reason: 'Local' }] },
    });
    expect(env.peek(services, 'v1.')).toBeDefined();
  });

  it('exist for the served versions of custom resource definitions', async () => {
    const env = await open();
    await env.create(definitions, 'boats.ships.test', definition('v1', 'v2'), '');
    await env.maintenance.idle();
    expect(env.peek(services, 'v2.ships.test')).toMatchObject({
      metadata: { labels: { 'kube-aggregator.kubernetes.io/automanaged': 'true' } },
      spec: { groupPriorityMinimum: 1000, versionPriority: 100 },
      status: { conditions: [{ type: 'Available', status: 'True', reason: 'Local' }] },
    });
    await env.remove(definitions, 'boats.ships.test', '');
    await env.maintenance.idle();
    expect([env.peek(services, 'v1.ships.test'), env.peek(services, 'v2.ships.test')]).toEqual([undefined, undefined]);
  });

  it('stay until no definition serves their version, and are found without reading all definitions', async () => {
    const env = await open();
    await env.create(definitions, 'boats.ships.test', definition('v1'), '');
    const { spec } = definition('v1');
    const rafts = { spec: { ...spec, names: { plural: 'rafts', kind: 'Raft' } } };
    await env.create(definitions, 'rafts.ships.test', rafts, '');
    await env.maintenance.idle();
    const { resource } = env.kind(services);
    const readAll = vi.spyOn(env.kind(definitions), 'peekAll');
    await resource.reconcile?.('', 'v1.ships.test');
    expect(readAll).not.toHaveBeenCalled();
    await env.remove(definitions, 'boats.ships.test', '');
    await env.maintenance.idle();
    expect(env.peek(services, 'v1.ships.test')).toBeDefined();
    await env.remove(definitions, 'rafts.ships.test', '');
    await env.maintenance.idle();
    expect(env.peek(services, 'v1.ships.test')).toBeUndefined();
  });
});
