import { describe, expect, it } from 'vitest';
import { StatusError } from '../../../api/status.ts';
import { FakeCluster, forbiddenStatusJson } from '../reach/fake-cluster.fixture.ts';
import { clusterUidOf, missingPermissions, probeCluster } from './probe-cluster.ts';
import { requiredPermissions } from './required-permissions.ts';

const { signal } = new AbortController();
const kubeconfig = { server: 'https://a' };

async function refusal(call: Promise<unknown>): Promise<[number, string]> {
  const error = await call.then(
    () => undefined,
    (reason: unknown) => reason,
  );
  if (!(error instanceof StatusError)) throw new Error('nothing was refused', { cause: error });
  return [error.code, error.message];
}

describe('the probe of a cluster', () => {
  it('returns the version and uid of a ready cluster', async () => {
    const cluster = new FakeCluster('u-1');
    expect(await probeCluster(cluster.connect(kubeconfig), signal)).toEqual({
      kubernetesVersion: 'v1.36.3',
      uid: 'u-1',
    });
    expect(cluster.requestedPaths).toEqual(['/readyz', '/version', '/api/v1/namespaces/kube-system']);
  });

  it('fails with the cluster’s own message if it is not ready', async () => {
    const cluster = new FakeCluster('u-1');
    cluster.bodies.set('/readyz', { code: 500, text: '[-]etcd failed: reason withheld\n' });
    expect(await refusal(probeCluster(cluster.connect(kubeconfig), signal))).toEqual([
      503,
      'the API server returned status 500 for /readyz: [-]etcd failed: reason withheld',
    ]);
  });

  it('detects rejected credentials, also those that are treated as anonymous', async () => {
    const cluster = new FakeCluster('u-1');
    cluster.statusOverride = 401;
    expect((await refusal(probeCluster(cluster.connect(kubeconfig), signal)))[0]).toBe(401);
    cluster.statusOverride = 200;
    cluster.bodies.set('/api/v1/namespaces/kube-system', { code: 403, text: forbiddenStatusJson('system:anonymous') });
    expect((await refusal(probeCluster(cluster.connect(kubeconfig), signal)))[0]).toBe(401);
  });

  it('succeeds if the credentials may not read version and uid', async () => {
    const cluster = new FakeCluster('u-1');
    cluster.bodies.set('/api/v1/namespaces/kube-system', { code: 403, text: forbiddenStatusJson('weak') });
    expect(await probeCluster(cluster.connect(kubeconfig), signal)).toMatchObject({ uid: '' });
  });

  it.each([
    ['/version', '<html>Welcome</html>'],
    ['/version', '{}'],
    ['/api/v1/namespaces/kube-system', '{}'],
    ['/version', JSON.stringify({ gitVersion: 'v1'.repeat(100) })],
    ['/readyz', 'ok'.repeat(200_000)],
  ])('rejects a server that is not Kubernetes and responds to %s with %.40s', async (path, text) => {
    const cluster = new FakeCluster('u-1');
    cluster.bodies.set(path, { code: 200, text });
    expect((await refusal(probeCluster(cluster.connect(kubeconfig), signal)))[1]).toContain(
      'not a Kubernetes API server',
    );
  });

  it('checks single permissions only if the credentials may not do everything', async () => {
    const cluster = new FakeCluster('u-1');
    expect(await missingPermissions(cluster.connect(kubeconfig), { required: requiredPermissions, signal })).toEqual(
      [],
    );
    expect(cluster.requestedPaths.length).toBe(1);
    cluster.allowed = ({ verb, resource, subresource }) =>
      verb !== '*' && verb !== 'impersonate' && subresource !== 'portforward' && resource !== 'statefulsets';
    const missing = await missingPermissions(cluster.connect(kubeconfig), { required: requiredPermissions, signal });
    expect(missing).toEqual([
      'get pods/portforward',
      'create pods/portforward',
      ...['get', 'list', 'watch', 'create', 'patch', 'delete'].map((verb) => `${verb} statefulsets.apps`),
      'impersonate users',
      'impersonate groups',
    ]);
  });

  it('can return the uid alone with a single request', async () => {
    const cluster = new FakeCluster('u-2');
    expect(await clusterUidOf(cluster.connect(kubeconfig), signal)).toBe('u-2');
    expect(cluster.requestedPaths.length).toBe(1);
  });
});
