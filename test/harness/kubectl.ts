import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

/** The reason why no real kubectl is available on PATH; `undefined` if there is one. */
export const kubectlMissing: string | undefined = findKubectl();

/**
 * Returns a path below the management API in the form for `kubectl --raw`. Before version 1.36, kubectl ignores the
 * path in the kubeconfig's server URL, so for those versions the result includes that path.
 */
export function rawPath(path: string): string {
  return kubectlMinor() < 36 ? `/kubernetes/management${path}` : path;
}

function findKubectl(): string | undefined {
  const found = spawnSync('kubectl', ['version', '--client', '-o', 'json'], { encoding: 'utf8' });
  if (found.status !== 0) return 'there is no kubectl on PATH (test/tools/build.sh builds one)';
  return kubectlMinor() >= 30 ? undefined : 'the kubectl on PATH is older than 1.30';
}

function kubectlMinor(): number {
  const { stdout } = spawnSync('kubectl', ['version', '--client', '-o', 'json'], { encoding: 'utf8' });
  return Number.parseInt(JSON.parse(stdout).clientVersion.minor, 10);
}

export interface Finished {
  readonly code: number;
  readonly stdout: string;
  readonly stderr: string;
}

export interface RunOptions {
  readonly input?: string;
  /** The number of output bytes after which the input is sent to kubectl. */
  readonly inputAfter?: number;
  readonly env?: Readonly<Record<string, string>>;
}

export interface Kubectl {
  /** Runs kubectl until it exits, and returns the result for any exit code. */
  run(args: readonly string[], options?: RunOptions): Promise<Finished>;
  /** Runs kubectl, expects exit code 0, and returns the standard output. */
  ok(args: readonly string[], options?: RunOptions): Promise<string>;
  /** Starts a command that keeps running, such as a watch. The caller ends it. */
  follow(args: readonly string[]): Follower;
}

export interface Follower {
  readonly child: ChildProcess;
  /** Resolves when the output so far matches. Rejects if the command exits without a match. */
  waitForOutput(pattern: RegExp): Promise<string>;
  stop(): Promise<void>;
}

const caches: string[] = [];
process.once('exit', () => {
  for (const cache of caches) rmSync(cache, { recursive: true, force: true });
});

export function kubectlWith(kubeconfig: string): Kubectl {
  // kubectl caches discovery on disk by host and port; a separate folder keeps the servers of different tests apart.
  const cache = mkdtempSync(join(tmpdir(), 'kubectl-cache-'));
  caches.push(cache);
  const base = ['--kubeconfig', kubeconfig, '--cache-dir', cache];

  async function run(args: readonly string[], options: RunOptions = {}): Promise<Finished> {
    const { input = '', inputAfter = 0, env } = options;
    const child = spawn('kubectl', [...base, ...args], { env: { ...process.env, ...env } });
    let stdout = '';
    let stderr = '';
    child.stdout.on('data', (chunk) => {
      stdout += chunk;
      if (inputAfter > 0 && stdout.length >= inputAfter) child.stdin.end(input);
    });
    child.stderr.on('data', (chunk) => {
      stderr += chunk;
    });
    // If the command reads no input, it may already have exited, and writing to it fails.
    child.stdin.on('error', () => {});
    if (inputAfter === 0) child.stdin.end(input);
    const code = await new Promise<number>((resolve, reject) => {
      child.once('error', reject);
      child.once('close', (exit) => resolve(exit ?? -1));
    });
    return { code, stdout, stderr };
  }

  return {
    run,
    async ok(args, options) {
      const { code, stdout, stderr } = await run(args, options);
      if (code !== 0) {
        // The output is cut, because some commands print 100 MB.
        throw new Error(`kubectl ${args.join(' ')} exited with ${code}\n${stdout.slice(-10_000)}${stderr}`);
      }
      return stdout;
    },
    follow(args) {
      const child = spawn('kubectl', [...base, ...args], { stdio: ['ignore', 'pipe', 'pipe'] });
      let output = '';
      const looks = new Set<() => void>();
      const take = (chunk: Buffer) => {
        output += chunk;
        for (const look of looks) look();
      };
      child.stdout.on('data', take);
      child.stderr.on('data', take);
      const ended = new Promise<void>((resolve) => child.once('close', () => resolve()));
      return {
        child,
        waitForOutput: (pattern) =>
          new Promise((resolve, reject) => {
            const look = () => {
              if (!pattern.test(output)) return;
              looks.delete(look);
              resolve(output);
            };
            looks.add(look);
            look();
            void ended.then(() => reject(new Error(`exited before ${pattern} was seen:\n${output}`)));
          }),
        async stop() {
          child.kill();
          await ended;
        },
      };
    },
  };
}
