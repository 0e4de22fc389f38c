import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { workerEtcdFlags } from './etcd/worker-etcd.ts';

const builtProgram = new URL('../../bin/flotilla.js', import.meta.url).pathname;

/** A real server: a separate process with its own data directory and a free port. */
export interface FlotillaProcess {
  readonly url: string;
  readonly pid: number;
  readonly dataDirectory: string;
  readonly kubeconfig: string;
  readonly adminKey: string;
  /** Everything the process has printed so far on both streams. */
  output(): string;
  /** Sends the signal and waits for the exit. Returns the exit code (null if the signal ended the process). */
  stop(signal?: NodeJS.Signals): Promise<number | null>;
  /** Starts the server again on the same data directory. */
  restart(): Promise<FlotillaProcess>;
  /** Stops the server and removes its data directory. */
  remove(): Promise<void>;
}

export interface FlotillaProcessOptions {
  readonly dataDirectory?: string;
  readonly args?: readonly string[];
  /** Optional; defaults to a free port. */
  readonly listen?: string;
  /** Arguments for Node itself. */
  readonly nodeArgs?: readonly string[];
  /** A command with flags that starts the server, such as `ip netns exec …`. */
  readonly commandPrefix?: readonly string[];
  /** Additional environment variables. */
  readonly environment?: Readonly<Record<string, string>>;
  /** The program to run. Optional; defaults to the one that was built from these sources. */
  readonly program?: string;
  /** The path of the Node.js that runs the program. Optional; defaults to the one that runs the tests. */
  readonly node?: string;
}

/** A running `flotilla` process that serves requests. */
export interface ServingProcess {
  readonly url: string;
  readonly pid: number;
  /** Everything the process has printed so far on both streams. */
  output(): string;
  /** Sends the signal and waits for the exit. Returns the exit code (null if the signal ended the process). */
  stop(signal?: NodeJS.Signals): Promise<number | null>;
}

/**
 * Starts `flotilla` with these arguments and waits until it reports that it serves. `commandPrefix` is a command with
 * flags that starts the program.
 */
export async function startServing(
  args: readonly string[],
  {
    nodeArgs = [],
    commandPrefix = [],
    environment = {},
    program = builtProgram,
    node = process.execPath,
  }: Pick<FlotillaProcessOptions, 'nodeArgs' | 'commandPrefix' | 'environment' | 'program' | 'node'> = {},
): Promise<ServingProcess> {
  const [command = node, ...rest] = [...commandPrefix, node, ...nodeArgs, program, ...args];
  const child = spawn(command, rest, {
    stdio: ['ignore', 'pipe', 'pipe'],
    env: { ...process.env, ...environment },
  });
  let output = '';
  child.stdout.on('data', (chunk) => {
    output += chunk;
  });
  child.stderr.on('data', (chunk) => {
    output += chunk;
  });
  const url = await readyUrl(child, () => output);
  return {
    url,
    pid: child.pid ?? -1,
    output: () => output,
    async stop(signal = 'SIGTERM') {
      if (child.exitCode !== null || child.signalCode !== null) return child.exitCode;
      const ended = once(child, 'exit');
      child.kill(signal);
      const [code] = await ended;
      return code;
    },
  };
}

export async function startFlotilla(options: FlotillaProcessOptions = {}): Promise<FlotillaProcess> {
  const dataDirectory = options.dataDirectory ?? mkdtempSync(join(tmpdir(), 'flotilla-'));
  const { listen = '127.0.0.1:0' } = options;
  const { args: given = [] } = options;
  const storeFlags = given.includes('--store') ? [] : Object.entries(workerEtcdFlags(dataDirectory));
  const storeArgs = storeFlags.flatMap(([flag, value]) => [`--${flag}`, value]);
  const args = ['start', '--data-dir', dataDirectory, '--listen', listen, ...storeArgs, ...given];
  const { url, pid, output, stop } = await startServing(args, options);
  return {
    url,
    pid,
    dataDirectory,
    kubeconfig: join(dataDirectory, 'admin.kubeconfig'),
    get adminKey() {
      return readFileSync(join(dataDirectory, 'admin.key'), 'utf8').trim();
    },
    output,
    stop,
    async restart() {
      await stop();
      return startFlotilla({ ...options, dataDirectory });
    },
    async remove() {
      await stop();
      rmSync(dataDirectory, { recursive: true, force: true });
    },
  };
}

function readyUrl(child: ChildProcess, output: () => string): Promise<string> {
  return new Promise((resolve, reject) => {
    const look = () => {
      const url = /^ready (https:\S+)$/m.exec(output())?.[1];
      if (url === undefined) return;
      child.stdout?.off('data', look);
      resolve(url);
    };
    child.stdout?.on('data', look);
    child.once('exit', (code) => reject(new Error(`flotilla exited with ${code} before it was ready:\n${output()}`)));
  });
}
