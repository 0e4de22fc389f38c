import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { attachProfiler } from '../profiler.mjs';
import { customObjects } from './custom-objects.mjs';

const program = fileURLToPath(new URL('../../../bin/flotilla.js', import.meta.url));

/** Authorities that the environment adds for all programs of Node are read before any of them begins, some 50 ms long. */
const { NODE_EXTRA_CA_CERTS: _, ...env } = process.env;

/**
 * Flotilla, started as a user starts it: the built program as a process of its own. `mostKeys` is the only setting that
 * differs from the defaults, as one user has all the keys of the load. With `inspect` it can be looked into. The objects
 * lie in the built-in cluster: those of the management API have controllers that write to them too.
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
      writeFileSync(config, `accessKeys:\n  perUser: ${mostKeys}\n`);
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
          ...objects.of(`/kubernetes/cluster/${naming.localCluster}`),
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

/** Collects what it prints; the function given back waits for what matches and gives its first group. */
function outputOf(child) {
  let output = '';
  let look = () => {};
  for (const stream of [child.stdout, child.stderr]) {
    stream.setEncoding('utf8').on('data', (text) => {
      // Once it runs, nobody asks for what it prints.
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
      child.once('exit', (code) => reject(new Error(`the server ended with ${code} before it was ready:\n${output}`)));
    });
}
