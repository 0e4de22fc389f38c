import type { JsonObject } from '@flotilla/json';
import { expect, it } from 'vitest';
import type { KubeObject } from '../../../api/meta.ts';
import { notFound } from '../../../api/status.ts';
import type { ApiClient } from '../../../client/resource-client.ts';
import { dataLossCause } from './data-storage.ts';

const location = { namespace: 'space', name: 'one' };

/** A host on which the configuration of the virtual cluster is this YAML document. */
function hostWith(config: string | undefined): ApiClient {
  const get = async ({ name }: { name: string }) => {
    if (config === undefined || name !== 'vc-config-one') throw notFound({ group: '', resource: 'secrets' }, name);
    return { data: { 'config.yaml': Buffer.from(config).toString('base64') } };
  };
  return { resource: () => ({ get }) } as unknown as ApiClient;
}

function workload(kind: string, spec: JsonObject, app = 'vcluster'): KubeObject {
  return { apiVersion: 'apps/v1', kind, metadata: { name: 'one', labels: { app } }, spec } as KubeObject;
}

const withVolumes = (...volumes: JsonObject[]): JsonObject => ({ template: { spec: { volumes } } });
const claims: JsonObject = { volumeClaimTemplates: [{ metadata: { name: 'data' } }] };
const emptyDir = withVolumes({ name: 'data', emptyDir: {} });
const etcd = (spec: JsonObject) => workload('StatefulSet', spec, 'vcluster-etcd');
const causeOf = (workloads: KubeObject[], config?: string) =>
  dataLossCause(hostWith(config), location, workloads, new AbortController().signal);

it.each([
  ['a claim template', [workload('StatefulSet', { ...claims, ...withVolumes({ name: 'tmp', emptyDir: {} }) })]],
  ['a claim as a volume', [workload('Deployment', withVolumes({ name: 'data', persistentVolumeClaim: {} }))]],
  ['another claim', [workload('Deployment', withVolumes({ name: 'files', persistentVolumeClaim: {} }))]],
  ['a volume of the node', [workload('Deployment', withVolumes({ name: 'data', hostPath: { path: '/x' } }))]],
  ['an etcd with a claim', [workload('Deployment', emptyDir), etcd(claims)]],
])('a virtual cluster with %s keeps its data', async (_, workloads) => {
  expect(await causeOf(workloads)).toBeUndefined();
});

it.each([
  ['an emptyDir volume', [workload('Deployment', emptyDir)], /^the Deployment one keeps the data in a volume that/],
  [
    'an ephemeral volume',
    [workload('Deployment', withVolumes({ name: 'data', ephemeral: {} }))],
    /deleted with its pod/,
  ],
  ['no volume', [workload('StatefulSet', {})], /^the StatefulSet one has no persistent volume claim$/],
  [
    'claims that are deleted when it is scaled',
    [workload('StatefulSet', { ...claims, persistentVolumeClaimRetentionPolicy: { whenScaled: 'Delete' } })],
    /deletes its persistent volume claims/,
  ],
  ['an etcd without a claim', [workload('StatefulSet', claims), etcd(emptyDir)], /keeps the data in a volume that/],
])('a virtual cluster with %s loses its data', async (_, workloads, cause) => {
  expect(await causeOf(workloads)).toMatch(cause);
});

it('a virtual cluster with a database or an etcd elsewhere keeps its data', async () => {
  const controlPlane = [workload('Deployment', emptyDir)];
  const external = (store: string, enabled: boolean) =>
    `controlPlane: {backingStore: {${store}: {external: {enabled: ${enabled}}}}}`;
  expect(await causeOf(controlPlane, external('database', true))).toBeUndefined();
  expect(await causeOf(controlPlane, external('etcd', true))).toBeUndefined();
  expect(await causeOf(controlPlane, external('database', false))).toMatch(/deleted with its pod/);
});

it('a configuration that cannot be read does not count as a database elsewhere', async () => {
  expect(await causeOf([workload('Deployment', emptyDir)], 'controlPlane: [')).toMatch(/deleted with its pod/);
});
