import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { attachProfiler } from '../profiler.mjs';

const program = fileURLToPath(new URL('../../../bin/flotilla.js', import.meta.url));

/**
 * Removes NODE_EXTRA_CA_CERTS, because Node would read these additional CAs before the program starts, which takes
 * about 50 ms.
 */
const { NODE_EXTRA_CA_CERTS: _, ...env } = process.env;

/**
 * One server, started as a user starts it: the built program as a separate process, on a free port. `settings` is the
 * text of its configuration file. With `isInspected` its inspector is enabled.
 */
export async function startServer({ dataDir, settings, flags = [], isInspected = false }) {
  mkdirSync(dataDir, { recursive: true });
  const config = join(dataDir, 'bench.yaml');
  // The cluster behind the gateway is on this machine, so loopback addresses must be allowed.
  writeFileSync(config, `${settings}\nhosts: {deniedCIDRs: []}\n`);
  const args = ['start', '--data-dir', dataDir, '--listen', '127.0.0.1:0', '--config', config, ...flags];
  const nodeFlags = isInspected ? ['--inspect=127.0.0.1:0'] : [];
  const begun = performance.now();
  const child = spawn(process.execPath, [...nodeFlags, program, ...args], { stdio: ['ignore', 'pipe', 'pipe'], env });
  const printed = outputOf(child);
  const url = await printed(/^ready (https:\S+)$/m);
  const startMilliseconds = performance.now() - begun;
  const profiler = isInspected ? await attachProfiler(await printed(/^Debugger listening on (ws:\S+)$/m)) : undefined;
  return {
    url,
    pid: child.pid,
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
}

/** Collects the output of a process. Returns a function that waits for a match and returns its first group. */
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
