import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

/** The real kubectl on PATH, or why there is none to be had. */
export const kubectlMissing: string | undefined = findKubectl();

/**
 * A path below the management API as `--raw` wants it. Older versions of kubectl drop the path of the kubeconfig's
 * server there, so it is given to them; the one that is built for these tests keeps it.
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
  /** The input is sent when so many bytes have been printed. */
  readonly inputAfter?: number;
  readonly env?: Readonly<Record<string, string>>;
}

export interface Kubectl {
  /** Runs to the end, whatever the exit code. */
  run(args: readonly string[], options?: RunOptions): Promise<Finished>;
  /** Runs, expects success, gives what it printed. */
  ok(args: readonly string[], options?: RunOptions): Promise<string>;
  /** Starts something that goes on (a watch); the caller ends it. */
  follow(args: readonly string[]): Follower;
}

export interface Follower {
  readonly child: ChildProcess;
  /** Resolves when what it has printed so far matches; rejects when it ends without. */
  seen(pattern: RegExp): Promise<string>;
  stop(): Promise<void>;
}

const caches: string[] = [];
process.once('exit', () => {
  for (const cache of caches) rmSync(cache, { recursive: true, force: true });
});

export function kubectlWith(kubeconfig: string): Kubectl {
  // Discovery is cached on disk by host and port; a folder of one's own keeps servers of different tests apart.
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
    // A command that reads nothing may have ended by now.
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
        // Some print a hundred megabytes.
        throw new Error(`kubectl ${args.join(' ')} ended with ${code}\n${stdout.slice(-10_000)}${stderr}`);
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
        seen: (pattern) =>
          new Promise((resolve, reject) => {
            const look = () => {
              if (!pattern.test(output)) return;
              looks.delete(look);
              resolve(output);
            };
            looks.add(look);
            look();
            void ended.then(() => reject(new Error(`ended before ${pattern} was seen:\n${output}`)));
          }),
        async stop() {
          child.kill();
          await ended;
        },
      };
    },
  };
}
