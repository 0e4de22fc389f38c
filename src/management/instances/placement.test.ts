import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { Cluster } from '../../api/management/v1/cluster.ts';
import { chooseCluster, hostNamespaceFor, virtualClusterNameFor } from './placement.ts';

const label = (max: number) =>
  fc.stringMatching(new RegExp(`^[a-z0-9]([-a-z0-9]{0,${max - 2}}[a-z0-9])?$`)).filter((name) => name.length <= max);
const isLabel = /^[a-z0-9]([-a-z0-9]*[a-z0-9])?$/;

describe('names on a host (completions §3)', () => {
  it('names are DNS labels within their limits, for any project and instance', () => {
    fc.assert(
      fc.property(label(52), label(63), (project, instance) => {
        const namespace = hostNamespaceFor(project, instance);
        expect(namespace).toMatch(isLabel);
        expect(namespace.length).toBeLessThanOrEqual(63);
        const name = virtualClusterNameFor(project, instance);
        expect(name).toMatch(isLabel);
        expect(name.length).toBeLessThanOrEqual(53);
        if (instance.length <= 53) expect(name).toBe(instance);
      }),
    );
  });

  it('names differ for similar pairs and are stable for the same pair', () => {
    expect(hostNamespaceFor('a-v-b', 'c')).not.toBe(hostNamespaceFor('a', 'b-v-c'));
    expect(hostNamespaceFor('a', 'b')).toBe(hostNamespaceFor('a', 'b'));
    expect(hostNamespaceFor('a', 'b')).toMatch(/^platform-a-v-b-[0-9a-v]{6}$/);
  });
});

describe('chooseCluster (completions §3)', () => {
  const object = (name: string, fields: Pick<Cluster, 'spec' | 'status'>): Cluster => ({
    apiVersion: 'v1',
    kind: 'x',
    metadata: { name },
    ...fields,
  });
  const ready = (status: 'True' | 'False'): NonNullable<Cluster['status']> => ({
    online: true,
    conditions: [{ type: 'Ready', status }],
  });
  const chosen = (clusters: readonly Cluster[], load: Readonly<Record<string, number>> = {}, allowed = ['*']) =>
    chooseCluster(
      {
        apiVersion: 'v1',
        kind: 'x',
        metadata: { name: 'p' },
        spec: { allowedClusters: allowed.map((name) => ({ name })) },
      },
      {
        clusters: () => clusters,
        instancesOn: (name) => load[name] ?? 0,
      },
    );

  it('the allowed and ready cluster with the fewest instances is chosen', () => {
    const all = [object('a', { status: ready('True') }), object('b', { status: { online: true } })];
    expect(chosen(all)).toBe('a');
    expect(chosen(all, { a: 2, b: 1 })).toBe('b');
    expect(chosen(all, {}, ['b'])).toBe('b');
    expect(chosen(all, {}, [])).toBeUndefined();
  });

  it.each<[string, Pick<Cluster, 'spec' | 'status'>]>([
    ['is not online', { status: { online: false } }],
    ['was never probed', {}],
    ['is not ready', { status: ready('False') }],
    ['is marked unusable', { spec: { unusable: true }, status: ready('True') }],
  ])('a cluster that %s is not chosen', (_, members) => {
    expect(chosen([object('a', members)])).toBeUndefined();
  });

  it('the built-in cluster can be chosen without a probe', () => {
    expect(chosen([object('local', { spec: { local: true } })])).toBe('local');
  });
});
