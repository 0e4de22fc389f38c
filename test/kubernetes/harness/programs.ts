import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { isProgram, toolFolders } from '../../harness/start-program.mjs';

/** The paths of the programs of a test cluster. */
export interface KubernetesPrograms {
  readonly kubeApiserver: string;
  readonly etcd: string;
  readonly version: string;
  readonly controllerManager: string;
  readonly node: string;
  readonly helm: string;
  /** The package of the vCluster chart. */
  readonly chart: string;
  readonly chartVersion: string;
}

const needed = ['kube-apiserver', 'etcd', 'kube-controller-manager', 'kubernetes-node', 'helm'] as const;

/** Returns the programs, or a message that names the missing ones. */
export function findKubernetes(): KubernetesPrograms | string {
  const found = new Map<string, string>();
  for (const folder of toolFolders()) {
    for (const name of needed) {
      if (!found.has(name) && isProgram(join(folder, name))) found.set(name, join(folder, name));
    }
  }
  const missing = needed.filter((name) => !found.has(name));
  const chart = findChart();
  if (missing.length > 0 || chart === undefined) {
    return `there is no ${[...missing, ...(chart === undefined ? ['chart of vCluster'] : [])].join(', ')} (test/tools/build.sh builds them)`;
  }
  const path = (name: (typeof needed)[number]) => found.get(name) ?? '';
  return {
    kubeApiserver: path('kube-apiserver'),
    etcd: path('etcd'),
    version: '',
    controllerManager: path('kube-controller-manager'),
    node: path('kubernetes-node'),
    helm: path('helm'),
    chart,
    chartVersion: /vcluster-(.*)\.tgz$/.exec(chart)?.[1] ?? '',
  };
}

function findChart(): string | undefined {
  for (const folder of toolFolders()) {
    const name = filesOf(folder).find((each) => /^vcluster-\d.*\.tgz$/.test(each));
    if (name !== undefined) return join(folder, name);
  }
  return undefined;
}

function filesOf(folder: string): string[] {
  try {
    return readdirSync(folder);
  } catch {
    return [];
  }
}
