import { fork } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

const child = fileURLToPath(new URL('server-child.mjs', import.meta.url));

/**
 * Starts a server of its own on a new data directory and a free port of the loopback. `profile`: a directory for CPU
 * profiles, one for each thing measured.
 */
export async function startServer({ directory, program, profile }) {
  const data = await mkdtemp(join(directory, 'data-'));
  const args = ['start', '--data-dir', data, '--listen', '127.0.0.1:0', '--log-level', 'warn'];
  const server = fork(child, [program, ...args], {
    execArgv: ['--expose-gc'],
    stdio: ['ignore', 'pipe', 'inherit', 'ipc'],
  });
  const url = await readyUrl(server);
  const ask = async (question, about) => {
    server.send({ question, about });
    const [answer] = await once(server, 'message');
    return answer;
  };
  return {
    url,
    ca: await readFile(join(data, 'ca.crt'), 'utf8'),
    authorization: `Bearer ${(await readFile(join(data, 'admin.key'), 'utf8')).trim()}`,
    /** What `process.memoryUsage()` says after garbage was collected. */
    memory: () => ask('memory'),
    /** Milliseconds of processor time that it has used, on all cores together. */
    async processorTime() {
      const { user, system } = await ask('processor');
      return (user + system) / 1000;
    },
    /** Runs something, with a profile of the server meanwhile if profiles are wanted. */
    async profiled(name, run) {
      if (profile === undefined) return await run();
      await ask('startProfile');
      const result = await run();
      await ask('stopProfile', join(profile, `${name.replaceAll(/[^A-Za-z0-9.]+/g, '-')}.cpuprofile`));
      return result;
    },
    async stop() {
      if (server.exitCode === null && server.signalCode === null) {
        const ended = once(server, 'exit');
        server.kill('SIGTERM');
        await ended;
      }
      await rm(data, { recursive: true, force: true });
    },
  };
}

function readyUrl(server) {
  return new Promise((resolve, reject) => {
    let output = '';
    server.stdout.setEncoding('utf8').on('data', (text) => {
      output += text;
      const url = /^ready (https:\S+)$/m.exec(output)?.[1];
      if (url !== undefined) resolve(url);
    });
    server.once('exit', (code) => reject(new Error(`the server ended with ${code} before it was ready:\n${output}`)));
  });
}
