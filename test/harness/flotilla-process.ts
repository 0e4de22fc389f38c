import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

const program = new URL('../../bin/flotilla.js', import.meta.url).pathname;

/** A real server: its own process, its own data directory, a port that was free. */
export interface FlotillaProcess {
  readonly url: string;
  readonly pid: number;
  readonly dataDirectory: string;
  readonly kubeconfig: string;
  readonly adminKey: string;
  /** Everything it has printed so far, both streams. */
  output(): string;
  /** Sends the signal and waits for the end; gives the exit code (null if the signal ended it). */
  stop(signal?: NodeJS.Signals): Promise<number | null>;
  /** Starts it again on the same data directory. */
  restart(): Promise<FlotillaProcess>;
  /** Stops it and removes its data directory. */
  remove(): Promise<void>;
}

export interface FlotillaProcessOptions {
  readonly dataDirectory?: string;
  readonly args?: readonly string[];
  /** For Node itself. */
  readonly nodeArgs?: readonly string[];
}

export async function startFlotilla(options: FlotillaProcessOptions = {}): Promise<FlotillaProcess> {
  const dataDirectory = options.dataDirectory ?? mkdtempSync(join(tmpdir(), 'flotilla-'));
  const args = ['start', '--data-dir', dataDirectory, '--listen', '127.0.0.1:0', ...(options.args ?? [])];
  const child = spawn(process.execPath, [...(options.nodeArgs ?? []), program, ...args], {
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  let output = '';
  child.stdout.on('data', (chunk) => {
    output += chunk;
  });
  child.stderr.on('data', (chunk) => {
    output += chunk;
  });
  const url = await readyUrl(child, () => output);

  async function stop(signal: NodeJS.Signals = 'SIGTERM'): Promise<number | null> {
    if (child.exitCode !== null || child.signalCode !== null) return child.exitCode;
    const ended = once(child, 'exit');
    child.kill(signal);
    const [code] = await ended;
    return code;
  }

  return {
    url,
    pid: child.pid ?? -1,
    dataDirectory,
    kubeconfig: join(dataDirectory, 'admin.kubeconfig'),
    adminKey: readFileSync(join(dataDirectory, 'admin.key'), 'utf8').trim(),
    output: () => output,
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
    child.once('exit', (code) => reject(new Error(`flotilla ended with ${code} before it was ready:\n${output()}`)));
  });
}
