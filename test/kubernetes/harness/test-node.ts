import { mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { startProgram } from '../../harness/start-program.mjs';

/** The only node of a cluster (test/tools/kubernetes-node). */
export interface TestNode {
  /** Sets the target of a pod's port; `undefined` removes it. */
  route(namespace: string, pod: string, port: number, address: string | undefined): void;
  stop(): Promise<void>;
}

export interface TestNodeOptions {
  readonly program: string;
  readonly kubeconfig: string;
  /** PEM of the CA whose client certificates may use exec and the other node APIs. */
  readonly clientAuthority: string;
  /** The folder for its files. */
  readonly folder: string;
  /** A container with a readiness probe is ready only while its port has a route. */
  readonly readyWhenRouted?: boolean;
}

export async function startNode(options: TestNodeOptions): Promise<TestNode> {
  const { program, kubeconfig, clientAuthority, readyWhenRouted = false } = options;
  const folder = join(options.folder, 'node');
  const routes = join(folder, 'routes');
  mkdirSync(routes, { recursive: true });
  const authority = join(folder, 'clients.crt');
  writeFileSync(authority, clientAuthority);
  const flags = [`--kubeconfig=${kubeconfig}`, `--client-ca-file=${authority}`, `--routes=${routes}`];
  const node = startProgram(program, readyWhenRouted ? [...flags, '--ready-when-routed'] : flags, folder);
  while (!node.output().includes('ready\n')) {
    node.failIfEnded();
    await delay(20);
  }
  return {
    route(namespace, pod, port, address) {
      const file = join(routes, `${namespace}.${pod}.${port}`);
      if (address === undefined) rmSync(file, { force: true });
      else writeFileSync(file, address);
    },
    stop: () => node.stop(),
  };
}
