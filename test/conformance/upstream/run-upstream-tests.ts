import { spawn } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

/** A line that kubernetes-e2e writes for each test. */
export interface UpstreamResult {
  readonly name: string;
  /** The state as Ginkgo names it: passed, failed, skipped, timedout, panicked, interrupted. */
  readonly state: string;
  readonly seconds: number;
  readonly message?: string;
  /** The end of the log of a failed test. */
  readonly log?: string;
}

export interface UpstreamRun {
  readonly kubeconfig: string;
  readonly names: readonly string[];
  /** An existing folder for the files of this run. */
  readonly folder: string;
}

/** Runs the tests one after another in a separate process. */
export async function runUpstreamTests({ kubeconfig, names, folder }: UpstreamRun): Promise<readonly UpstreamResult[]> {
  const namesFile = join(folder, 'names');
  const resultsFile = join(folder, 'results');
  writeFileSync(namesFile, names.join('\n'));
  const child = spawn('kubernetes-e2e', ['run', kubeconfig, namesFile, resultsFile], {
    cwd: folder,
    stdio: ['ignore', 'pipe', 'pipe'],
    // kubectl caches discovery by host and port, so clusters at one host and port need separate folders.
    env: { ...process.env, KUBECACHEDIR: join(folder, 'kubectl-cache') },
  });
  let output = '';
  const keepEnd = (chunk: Buffer) => {
    output = (output + chunk).slice(-10_000);
  };
  child.stdout.on('data', keepEnd);
  child.stderr.on('data', keepEnd);
  const code = await new Promise<number | null>((resolve, reject) => {
    child.once('error', reject);
    child.once('close', resolve);
  });
  if (code !== 0) throw new Error(`kubernetes-e2e exited with ${code}:\n${output}`);
  const lines = readFileSync(resultsFile, 'utf8').split('\n');
  return lines.filter((line) => line !== '').map((line): UpstreamResult => JSON.parse(line));
}
