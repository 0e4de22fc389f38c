import { expect, it } from 'vitest';
import type { HostConnection } from '../reach/host-connection.ts';
import { readHostUse } from './pod-usage.ts';

const { signal } = new AbortController();

/** A connection to a host that answers these paths. */
function hostWith(answers: Readonly<Record<string, unknown>>): Pick<HostConnection, 'fetch'> {
  return {
    async fetch(path) {
      const found = answers[path];
      const status = found === undefined ? 404 : 200;
      const text = JSON.stringify(found ?? { kind: 'Status', code: 404 });
      return {
        status,
        ok: status === 200,
        headers: new Headers(),
        text: async () => text,
        body: (async function* () {
          yield new TextEncoder().encode(text);
        })(),
      } as unknown as Awaited<ReturnType<HostConnection['fetch']>>;
    },
  };
}

const podMetrics = {
  kind: 'PodMetricsList',
  apiVersion: 'metrics.k8s.io/v1beta1',
  metadata: {},
  items: [
    {
      metadata: { name: 'shop-0', namespace: 'team', labels: { app: 'vcluster', release: 'shop' } },
      timestamp: '2026-11-15T12:00:00Z',
      window: '15.4s',
      containers: [
        { name: 'syncer', usage: { cpu: '12345678n', memory: '262144Ki' } },
        { name: 'sidecar', usage: { cpu: '2m', memory: '1Mi' } },
      ],
    },
  ],
};
const claim = (name: string, storage: string) => ({
  metadata: { name, namespace: 'team', labels: {} },
  spec: { resources: { requests: { storage: '5Gi' } } },
  status: { capacity: { storage } },
});

it('adds up the containers of a pod, and reads all pages of claims', async () => {
  const { pods, claims } = await readHostUse(
    hostWith({
      '/apis/metrics.k8s.io/v1beta1/pods': podMetrics,
      '/api/v1/persistentvolumeclaims?limit=500': { metadata: { continue: 'a b' }, items: [claim('data', '8Gi')] },
      '/api/v1/persistentvolumeclaims?limit=500&continue=a%20b': { metadata: {}, items: [claim('new', '')] },
    }),
    signal,
  );
  expect(pods).toEqual([
    {
      namespace: 'team',
      labels: { app: 'vcluster', release: 'shop' },
      use: { cpuMillis: expect.closeTo(14.345678, 6), memoryKib: 262144 + 1024 },
    },
  ]);
  expect(claims?.map(({ use }) => use.storageKib)).toEqual([8 * 1024 * 1024, 5 * 1024 * 1024]);
});

it('tells nothing about what the host does not serve', async () => {
  expect(await readHostUse(hostWith({}), signal)).toEqual({});
  const claims = { metadata: {}, items: [] };
  expect(await readHostUse(hostWith({ '/api/v1/persistentvolumeclaims?limit=500': claims }), signal)).toEqual({
    claims: [],
  });
});
