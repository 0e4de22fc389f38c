import { cpSync, mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { startServer } from './flotilla-server.mjs';
import { ourApi } from './ours.mjs';

/**
 * The side with replicas of Flotilla over a running etcd. Clients use the replicas in turn. The CPU time is the sum of
 * all replicas; the CPU time of etcd is a separate figure. A profile covers the first replica only.
 */
export function replicated({ replicas, etcd, parts, mostKeys, inspect, load, signal }) {
  const api = ourApi({ parts, load, signal });
  const name = `replicas-${replicas}`;
  return {
    name,
    title: `Flotilla, ${replicas} replica${replicas === 1 ? '' : 's'}`,
    // A replica that is paused loses its registration, so replicas keep running.
    staysRunning: true,
    async start(dataDir) {
      const settings = `accessKeys:\n  perUser: ${mostKeys}\n`;
      const flags = ['--store', etcd.endpoints, '--etcd-prefix', name];
      const folders = Array.from({ length: replicas }, (_, at) => join(dataDir, `replica-${at}`));
      const servers = [];
      const stop = async () => {
        await Promise.all(servers.map((server) => server.stop()));
      };
      try {
        for (const [at, folder] of folders.entries()) {
          if (at > 0) copySealKey(folders[0], folder);
          servers.push(await startServer({ dataDir: folder, settings, flags, isInspected: inspect && at === 0 }));
        }
      } catch (error) {
        await stop();
        throw error;
      }
      const urls = servers.map(({ url }) => url);
      const pids = servers.map(({ pid }) => pid);
      return {
        target: { ...api.target(folders[0]), url: urls[0], urls, pids, etcdPids: etcd.pids, etcdUrl: etcd.url },
        startMilliseconds: servers[0].startMilliseconds,
        profiler: servers[0].profiler,
        stop,
      };
    },
    ...api.side,
  };
}

/** Copies the one file that a further replica needs from the first replica. */
function copySealKey(from, to) {
  mkdirSync(to, { recursive: true });
  cpSync(join(from, 'seal.key'), join(to, 'seal.key'));
}
