import { describe, expect, it } from 'vitest';
import type { HostConnection } from '../reach/host-connection.ts';
import { readHostUse } from './pod-usage.ts';

const { signal } = new AbortController();

/** A connection to a host that answers these paths with an object, or with a text. */
function hostWith(answers: Readonly<Record<string, unknown>>): Pick<HostConnection, 'fetch'> {
  return {
    async fetch(path) {
      const found = answers[path];
      const status = found === undefined ? 404 : 200;
      const text = typeof found === 'string' ? found : JSON.stringify(found ?? { kind: 'Status', code: 404 });
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

it('the usage of a host adds up the containers of a pod, and reads all pages of claims', async () => {
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

it('the usage of a host contains nothing that the host does not serve', async () => {
  expect(await readHostUse(hostWith({}), signal)).toEqual({});
  const claims = { metadata: {}, items: [] };
  expect(await readHostUse(hostWith({ '/api/v1/persistentvolumeclaims?limit=500': claims }), signal)).toEqual({
    claims: [],
  });
});

describe('a hostile host', () => {
  const podsPath = '/apis/metrics.k8s.io/v1beta1/pods';
  const claimsPath = '/api/v1/persistentvolumeclaims?limit=500';

  it('cannot make the server parse millions of values', async () => {
    const items = `{"items":[{}${',{}'.repeat(900_000)}]}`;
    const nested = `{"items":[{"metadata":{"labels":[1${',1'.repeat(900_000)}]}}]}`;
    const use = await readHostUse(hostWith({ [podsPath]: items, [claimsPath]: nested }), signal);
    // Only the lengths are compared, because a failed comparison of whole objects would print them.
    expect([use.pods?.length, use.claims?.length]).toEqual([undefined, undefined]);
  });

  it('has a limit for each page of claims', async () => {
    const padded = { metadata: { padding: 'x'.repeat(6 * 1024 * 1024) }, items: [claim('data', '8Gi')] };
    expect((await readHostUse(hostWith({ [claimsPath]: padded }), signal)).claims?.length).toBeUndefined();
  });

  it('cannot falsify the sums of a project and of the fleet with an implausible use', async () => {
    const pod = (cpu: string, memory: string) => ({
      metadata: { name: 'a', namespace: 'team', labels: 'none' },
      containers: [{ usage: { cpu, memory } }],
    });
    const items = [pod('-5', '-1Gi'), pod('1e90', '1e90'), pod('9'.repeat(128), 'x'), pod('2', '1Mi'), null, 'x'];
    const claims = { metadata: {}, items: [claim('a', '-1Gi'), claim('b', '1e90'), claim('c', '1Mi')] };
    const use = await readHostUse(hostWith({ [podsPath]: { items }, [claimsPath]: claims }), signal);
    const none = { cpuMillis: 0, memoryKib: 0 };
    expect(use.pods?.map((each) => each.use)).toEqual([
      none,
      none,
      none,
      { cpuMillis: 2000, memoryKib: 1024 },
      none,
      none,
    ]);
    expect(use.pods?.every(({ labels }) => typeof labels === 'object')).toBe(true);
    expect(use.claims?.map((each) => each.use.storageKib)).toEqual([0, 0, 1024]);
  });
});
