import { spawn } from 'node:child_process';
import { randomInt } from 'node:crypto';
import { once } from 'node:events';
import { accessSync, closeSync, constants, openSync, readFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { homedir } from 'node:os';
import { basename, delimiter, join } from 'node:path';

/**
 * A program that runs beside the tests and whose output is written to a file.
 * @typedef {object} StartedProgram
 * @property {number} pid
 * @property {() => string} output everything it has printed
 * @property {() => void} failIfEnded throws with the end of the output if the program has exited
 * @property {(signal?: NodeJS.Signals) => Promise<void>} stop sends the signal, and SIGKILL after ten seconds
 */

/**
 * A shell script that replaces itself with the program. A background process kills the program when the parent process
 * exits for any reason, because the pipe on file descriptor 3 then closes.
 */
const guarded = '(cat <&3 >/dev/null; kill -9 $$) 2>/dev/null & exec 3<&-; exec "$0" "$@"';

/**
 * @param {string} program
 * @param {readonly string[]} flags
 * @param {string} dataDir the working directory, where `<program>.log` is written
 * @returns {StartedProgram}
 */
export function startProgram(program, flags, dataDir) {
  const log = join(dataDir, `${basename(program)}.log`);
  const output = openSync(log, 'w');
  const child = spawn('/bin/sh', ['-c', guarded, program, ...flags], {
    stdio: ['ignore', output, output, 'pipe'],
    cwd: dataDir,
  });
  closeSync(output);
  child.once('exit', () => child.stdio[3]?.destroy());
  const ended = once(child, 'exit');
  ended.catch(() => undefined);
  const runs = () => child.exitCode === null && child.signalCode === null && child.pid !== undefined;
  return {
    pid: child.pid ?? -1,
    output: () => readFileSync(log, 'utf8'),
    failIfEnded() {
      if (runs()) return;
      throw new Error(`${program} exited before it was ready:\n${readFileSync(log, 'utf8').slice(-4000)}`);
    },
    async stop(signal = 'SIGTERM') {
      if (!runs()) return;
      const killTimer = setTimeout(() => child.kill('SIGKILL'), 10_000);
      child.kill(signal);
      await ended;
      clearTimeout(killTimer);
    },
  };
}

/**
 * The folders to search for test programs: `KUBEBUILDER_ASSETS`, the folder of test/tools/build.sh, PATH.
 * @returns {string[]}
 */
export function toolFolders() {
  const cache = process.env.XDG_CACHE_HOME ?? join(homedir(), '.cache');
  return [
    process.env.KUBEBUILDER_ASSETS,
    process.env.FLOTILLA_TOOLS ?? join(cache, 'flotilla-tools'),
    ...(process.env.PATH ?? '').split(delimiter),
  ].filter((folder) => folder !== undefined && folder !== '');
}

/**
 * @param {string} path
 * @returns {boolean}
 */
export function isProgram(path) {
  try {
    accessSync(path, constants.X_OK);
    return true;
  } catch {
    return false;
  }
}

/**
 * Returns different ports that were free a moment ago. They lie outside the ephemeral range, because the kernel may
 * give an ephemeral port to an outgoing connection before the program listens.
 * @param {number} count
 * @returns {Promise<number[]>}
 */
export async function freePorts(count) {
  const servers = await Promise.all(Array.from({ length: count }, listenSomewhere));
  const ports = servers.map((server) => server.address().port);
  await Promise.all(servers.map((server) => once(server.close(), 'close')));
  return ports;
}

/** The searched ports: above well-known ports, and below the ephemeral range of Linux and others (32768 and up). */
const [lowestPort, highestPort] = [10_000, 30_000];

async function listenSomewhere() {
  for (;;) {
    const server = createServer().listen(randomInt(lowestPort, highestPort), '127.0.0.1');
    try {
      await once(server, 'listening');
      return server;
    } catch (error) {
      if (error.code !== 'EADDRINUSE') throw error;
    }
  }
}
