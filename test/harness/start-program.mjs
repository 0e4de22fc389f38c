import { spawn } from 'node:child_process';
import { randomInt } from 'node:crypto';
import { once } from 'node:events';
import { accessSync, closeSync, constants, openSync, readFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { homedir } from 'node:os';
import { basename, delimiter, join } from 'node:path';

/**
 * A program that runs beside the tests, with what it prints in a file of its own.
 * @typedef {object} StartedProgram
 * @property {number} pid
 * @property {() => string} output everything it has printed
 * @property {() => void} failIfEnded throws with the end of what it printed where it runs no more
 * @property {(signal?: NodeJS.Signals) => Promise<void>} stop asks it to end, and after ten seconds makes it end
 */

/** Becomes the program, and ends it when whoever started it is gone, however that came: then the pipe is closed. */
const guarded = '(cat <&3 >/dev/null; kill -9 $$) 2>/dev/null & exec 3<&-; exec "$0" "$@"';

/**
 * @param {string} program
 * @param {readonly string[]} flags
 * @param {string} dataDir where it works and where `<program>.log` is written
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
      throw new Error(`${program} ended before it was ready:\n${readFileSync(log, 'utf8').slice(-4000)}`);
    },
    async stop(signal = 'SIGTERM') {
      if (!runs()) return;
      const patience = setTimeout(() => child.kill('SIGKILL'), 10_000);
      child.kill(signal);
      await ended;
      clearTimeout(patience);
    },
  };
}

/**
 * Where programs for the tests are looked for: `KUBEBUILDER_ASSETS`, the folder of test/tools/build.sh, PATH.
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
 * Ports that were free a moment ago: held together until all are known, so that no two are the same. The kernel gives
 * them to nobody who connects somewhere, as it did with one that it had chosen itself, before the program was up.
 * @param {number} count
 * @returns {Promise<number[]>}
 */
export async function freePorts(count) {
  const servers = await Promise.all(Array.from({ length: count }, listenSomewhere));
  const ports = servers.map((server) => server.address().port);
  await Promise.all(servers.map((server) => once(server.close(), 'close')));
  return ports;
}

/** Below what Linux and others take for connections (32768 and more), above what programs have by custom. */
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
