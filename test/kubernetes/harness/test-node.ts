import { mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { startProgram } from '../../harness/start-program.mjs';

/** The only node of a cluster (test/tools/kubernetes-node). */
export interface TestNode {
  /** Sets the address that a pod's port forwards to; `undefined` removes the route. */
  route(namespace: string, pod: string, port: number, address: string | undefined): void;
  stop(): Promise<void>;
}

export interface TestNodeOptions {
  readonly program: string;
  readonly kubeconfig: string;
  /** The PEM of the CA whose client certificates may use exec and the other kubelet APIs. */
  readonly clientAuthority: string;
  /** The folder for the files of the node. */
  readonly folder: string;
  /** If true, a container with a readiness probe is ready only as long as its port has a route. */
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
