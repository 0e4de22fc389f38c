import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { customObjects } from './custom-objects.mjs';
import { startServer } from './flotilla-server.mjs';

/**
 * The side with Flotilla on the embedded store. `mostKeys` is the only setting that differs from its default, because
 * one user owns all keys of the load. `inspect` enables the inspector.
 */
export function ours({ parts, mostKeys, inspect, load, signal }) {
  const api = ourApi({ parts, load, signal });
  return {
    name: 'ours',
    title: 'Flotilla',
    async start(dataDir, start = {}) {
      const planes = start.workers === undefined ? '' : `planes:\n  workers: ${start.workers}\n`;
      const server = await startServer({
        dataDir,
        settings: `accessKeys:\n  perUser: ${mostKeys}\n${planes}`,
        isInspected: inspect || start.inspect === true,
      });
      const { url, pid, startMilliseconds, profiler, stop } = server;
      return { target: { ...api.target(dataDir), url, pids: [pid] }, startMilliseconds, profiler, stop };
    },
    ...api.side,
  };
}

/**
 * The parts of a Flotilla side that do not depend on its store. The test objects are in the built-in cluster, because
 * the controllers of the management API would also write to objects there.
 */
export function ourApi({ parts, load, signal }) {
  const { naming } = parts;
  const objects = customObjects({ parts, load, signal });
  const managementVersion = `${naming.managementGroup}/${naming.managementVersion}`;
  return {
    /** Returns the target without addresses and processes, for a data directory that a server has already created. */
    target: (dataDir) => ({
      ca: readFileSync(join(dataDir, 'ca.crt'), 'utf8'),
      authorization: `Bearer ${readFileSync(join(dataDir, 'admin.key'), 'utf8').trim()}`,
      ...objects.of(`/kubernetes/cluster/${naming.builtInClusterName}`),
      management: `/kubernetes/management/apis/${managementVersion}`,
      managementVersion,
      projectNamespacePrefix: naming.projectNamespacePrefix,
      virtualClusters: { apiVersion: `${naming.storageGroup}/${naming.storageVersion}`, kind: 'VirtualCluster' },
    }),
    side: {
      prepare: objects.define,
      makeNamespace: objects.makeNamespace,
      makesKeys: true,
      hasPlanes: true,
      keys: (target, count) => load.run('makeKeys', target, { count }),
    },
  };
}
