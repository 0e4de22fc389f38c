import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { attachProfiler } from '../profiler.mjs';
import { customObjects } from './custom-objects.mjs';

const program = fileURLToPath(new URL('../../../bin/flotilla.js', import.meta.url));

/** Node reads additional CAs of the environment before the program starts, which takes about 50 ms. */
const { NODE_EXTRA_CA_CERTS: _, ...env } = process.env;

/**
 * Flotilla, started as a user starts it: the built program as a separate process. `mostKeys` is the only setting that
 * differs from the defaults, because one user owns all keys of the load. With `inspect` its inspector is enabled. The
 * objects are in the built-in cluster: objects of the management API have controllers that also write to them.
 */
export function ours({ parts, mostKeys, inspect, load, signal }) {
  const { naming } = parts;
  const objects = customObjects({ parts, load, signal });
  const management = `/kubernetes/management/apis/${naming.managementGroup}/${naming.managementVersion}`;
  return {
    name: 'ours',
    title: 'Flotilla',
    async start(dataDir, start = {}) {
      const isInspected = inspect || start.inspect === true;
      mkdirSync(dataDir, { recursive: true });
      const config = join(dataDir, 'bench.yaml');
      const planes = start.workers === undefined ? '' : `planes:\n  workers: ${start.workers}\n`;
      writeFileSync(config, `accessKeys:\n  perUser: ${mostKeys}\n${planes}`);
      const args = ['start', '--data-dir', dataDir, '--listen', '127.0.0.1:0', '--config', config];
      const flags = isInspected ? ['--inspect=127.0.0.1:0'] : [];
      const begun = performance.now();
      const child = spawn(process.execPath, [...flags, program, ...args], { stdio: ['ignore', 'pipe', 'pipe'], env });
      const printed = outputOf(child);
      const url = await printed(/^ready (https:\S+)$/m);
      const startMilliseconds = performance.now() - begun;
      const profiler = isInspected
        ? await attachProfiler(await printed(/^Debugger listening on (ws:\S+)$/m))
        : undefined;
      return {
        target: {
          url,
          ca: readFileSync(join(dataDir, 'ca.crt'), 'utf8'),
          authorization: `Bearer ${readFileSync(join(dataDir, 'admin.key'), 'utf8').trim()}`,
          pids: [child.pid],
          ...objects.of(`/kubernetes/cluster/${naming.builtInClusterName}`),
          management,
          managementVersion: `${naming.managementGroup}/${naming.managementVersion}`,
          projectNamespacePrefix: naming.projectNamespacePrefix,
          virtualClusters: { apiVersion: `${naming.storageGroup}/${naming.storageVersion}`, kind: 'VirtualCluster' },
        },
        startMilliseconds,
        profiler,
        async stop() {
          profiler?.close();
          if (child.exitCode !== null || child.signalCode !== null) return;
          const ended = once(child, 'exit');
          child.kill('SIGTERM');
          await ended;
        },
      };
    },
    prepare: objects.define,
    makeNamespace: objects.makeNamespace,
    makesKeys: true,
    hasPlanes: true,
    keys: (target, count) => load.run('makeKeys', target, { count }),
  };
}

/** Collects the output; the returned function waits for a match and returns its first group. */
function outputOf(child) {
  let output = '';
  let look = () => {};
  for (const stream of [child.stdout, child.stderr]) {
    stream.setEncoding('utf8').on('data', (text) => {
      // After the start, the output is no longer needed.
      if (output.length < 1_000_000) output += text;
      look();
    });
  }
  return (pattern) =>
    new Promise((resolve, reject) => {
      look = () => {
        const found = pattern.exec(output)?.[1];
        if (found !== undefined) resolve(found);
      };
      look();
      child.once('exit', (code) => reject(new Error(`the server exited with ${code} before it was ready:\n${output}`)));
    });
}
