import { fork } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { build } from 'esbuild';

const root = fileURLToPath(new URL('../../..', import.meta.url));

/** Bundled CommonJS packages call `require`, which an ECMAScript module does not have. */
const banner = `import { createRequire } from 'node:module'; const require = createRequire(${JSON.stringify(import.meta.url)});`;

/** Writes the program of a fleet of agents to the folder, and returns its path. */
export async function buildAgentFleet(folder) {
  const outfile = join(folder, 'agent-fleet.mjs');
  await build({
    absWorkingDir: root,
    entryPoints: ['test/bench/tunnel/agent-fleet.ts'],
    outfile,
    bundle: true,
    format: 'esm',
    platform: 'node',
    target: 'node20',
    banner: { js: banner },
    external: ['classic-level', 'bufferutil', 'utf-8-validate', '@grpc/proto-loader'],
    logLevel: 'warning',
  });
  return outfile;
}

/**
 * Starts agents in one process, and waits until the server has all of their tunnels. `url` and `ca` belong to the shared
 * port at which all agents also serve requests.
 */
export async function startAgentFleet(program, { management, authority, agents, signal }) {
  const child = fork(program, { stdio: 'inherit' });
  const stop = async () => {
    if (child.exitCode !== null || child.signalCode !== null) return;
    const ended = once(child, 'exit');
    child.kill('SIGKILL');
    await ended;
  };
  try {
    const started = untilOpen(child, signal);
    child.send({ management, authority, agents });
    return { ...(await started), pid: child.pid, stop };
  } catch (error) {
    await stop();
    throw error;
  }
}

function untilOpen(child, signal) {
  return new Promise((resolve, reject) => {
    let opened = 0;
    let fleet;
    signal.addEventListener('abort', () => reject(signal.reason), { once: true });
    child.once('exit', (code) => reject(new Error(`the agents exited with ${code}`)));
    child.on('message', (message) => {
      opened = message.opened ?? opened;
      fleet = message.url === undefined ? fleet : message;
      if (fleet !== undefined && opened >= fleet.tunnels) resolve({ url: fleet.url, ca: fleet.ca });
    });
  });
}
