import { type ChildProcessWithoutNullStreams, spawn } from 'node:child_process';
import { expect } from 'vitest';
import { pathOfProgram } from './path-of-program.ts';

const healthChecks = new URL('../../../examples/gitops/argocd/argocd-cm.yaml', import.meta.url).pathname;

/** The reason why the Argo CD engine cannot run; `undefined` if the engine is on PATH. */
export const engineMissing: string | undefined =
  pathOfProgram('gitops-sync') === undefined
    ? 'gitops-sync is not on PATH (bash test/tools/build.sh <folder> clients builds it)'
    : undefined;

/** The Argo CD engine, with the health checks of the examples. It synchronizes a cluster with a folder of manifests. */
export class GitOpsEngine {
  readonly #process: ChildProcessWithoutNullStreams;
  #output = '';

  constructor(kubeconfig: string, manifests: string) {
    this.#process = spawn('gitops-sync', [kubeconfig, manifests, healthChecks]);
    for (const stream of [this.#process.stdout, this.#process.stderr]) {
      stream.on('data', (chunk) => {
        this.#output += chunk;
      });
    }
  }

  /** Runs one synchronization and returns its output. */
  async synchronize(): Promise<string> {
    this.#output = '';
    this.#process.stdin.write('sync\n');
    await expect.poll(() => this.#output, { timeout: 90_000 }).toMatch(/^done$/m);
    return this.#output;
  }

  /**
   * Repeats the synchronization until `read` returns an object with these fields. A single synchronization may be too
   * early, because the engine receives changes from watches.
   */
  async synchronizeUntil(read: () => Promise<unknown>, fields: object): Promise<void> {
    const synchronized = async () => {
      await this.synchronize();
      return await read();
    };
    await expect.poll(synchronized, { timeout: 60_000 }).toMatchObject(fields);
  }

  stop(): void {
    this.#process.kill();
  }
}
