import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { customObjects } from './custom-objects.mjs';
import { startServer } from './flotilla-server.mjs';

/**
 * Flotilla with the embedded store. `mostKeys` is the only setting that differs from the defaults, because one user owns
 * all keys of the load. With `inspect` its inspector is enabled.
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
 * The parts that a side with Flotilla has whatever its store is. The objects are in the built-in cluster: objects of the
 * management API have controllers that also write to them.
 */
export function ourApi({ parts, load, signal }) {
  const { naming } = parts;
  const objects = customObjects({ parts, load, signal });
  const managementVersion = `${naming.managementGroup}/${naming.managementVersion}`;
  return {
    /** The target without addresses and processes, for a server that has created this data directory. */
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
