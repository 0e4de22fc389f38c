import { spawnSync } from 'node:child_process';
import { availableParallelism } from 'node:os';
import { setTimeout as sleep } from 'node:timers/promises';
import { findKubeApiserver, startKubeApiserver } from '../../harness/kube-apiserver.mjs';

const object = { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'asked' }, data: { text: 'x'.repeat(1500) } };
const path = '/api/v1/namespaces/default/configmaps';

/** A connected Kubernetes cluster, accessed directly and through this server. */
export async function gateway(session) {
  const programs = findKubeApiserver();
  if (!session.hasPlanes || programs === undefined) return;
  const { sizes, signal } = session;
  await session.start('gateway');
  const far = await startKubeApiserver({ programs, dataDir: session.folder('far'), authorization: 'RBAC', signal });
  try {
    const { url, ca, token, pids } = far;
    const straight = { url, ca, authorization: `Bearer ${token}`, pids: Object.values(pids) };
    await session.run('send', { method: 'POST', path, object, expected: 201 }, straight);
    const through = { ...session.target, pids: [...session.target.pids, ...straight.pids] };
    keepApart(straight.pids, session.target.pids);
    const root = await connect(session, kubeconfigOf(far));
    const asked = { calls: sizes.gets, seconds: sizes.mostSeconds };
    for (const clients of [1, 10]) {
      const words = `get, ${clients} client${clients === 1 ? '' : 's'}`;
      const own = await session.measure(
        `${words}, direct`,
        'ask',
        { ...asked, clients, path: `${path}/asked` },
        straight,
      );
      const operation = `${words}, through the gateway`;
      const passed = await session.measure(
        operation,
        'ask',
        { ...asked, clients, path: `${root}${path}/asked` },
        through,
      );
      session.note(`straight-${clients}`, `${words}, direct`, own);
      const share = (100 * passed.rate) / own.rate;
      session.note(`gateway-${clients}`, operation, { ...passed, addedP50: passed.p50 - own.p50, share });
    }
  } finally {
    await far.stop();
  }
}

/**
 * Pins each group to its own CPU, as if the groups ran on separate machines. Otherwise the measurement of one group
 * would include the CPU time that another group takes from it.
 */
function keepApart(...groups) {
  if (availableParallelism() < groups.length) return;
  groups.forEach((pids, processor) => {
    for (const pid of pids)
      spawnSync('taskset', ['--all-tasks', '--cpu-list', '--pid', String(processor), String(pid)]);
  });
}

function kubeconfigOf({ url, ca, token }) {
  const data = Buffer.from(ca).toString('base64');
  return JSON.stringify({
    clusters: [{ name: 'far', cluster: { server: url, 'certificate-authority-data': data } }],
    users: [{ name: 'far', user: { token } }],
    contexts: [{ name: 'far', context: { cluster: 'far', user: 'far' } }],
    'current-context': 'far',
  });
}

/** Connects the cluster and returns the path below which it is served. */
async function connect(session, kubeconfig) {
  const { management, managementVersion } = session.target;
  const clusters = `${management}/clusters`;
  const cluster = { apiVersion: managementVersion, kind: 'Cluster', metadata: { name: 'far' }, spec: { kubeconfig } };
  await session.run('send', { method: 'POST', path: clusters, object: cluster, expected: 201 });
  for (;;) {
    const { status } = await session.run('send', { method: 'GET', path: `${clusters}/far`, expected: 200 });
    if (status?.online === true) return '/kubernetes/cluster/far';
    await sleep(100, undefined, { signal: session.signal });
  }
}
