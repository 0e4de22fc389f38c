import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { readKubeconfig } from '../../../src/api/kubeconfig.ts';
import type { ClosableHost } from '../../../src/hosts/host.ts';
import { openKubernetesHost } from '../../../src/hosts/kubernetes/kubernetes-host.ts';
import { connectToHost, type HostConnection } from '../../../src/hosts/kubernetes/reach/host-connection.ts';
import { defaultHelmSettings, type HelmSettings } from '../../../src/hosts/kubernetes/release/helm-settings.ts';
import { type Clock, systemClock } from '../../../src/lib/clock.ts';
import { silentLog } from '../../../src/lib/log.ts';
import type { Kubernetes } from './start-kubernetes.ts';

export interface OpenHost {
  readonly host: ClosableHost;
  /** Sends requests as the user of the kubeconfig. */
  readonly fetch: HostConnection['fetch'];
  /** The working folder of helm. */
  readonly workDir: string;
  /** Also closes the connection. */
  close(): Promise<void>;
}

/** Opens the test cluster as a host, with the real helm and the real chart. */
export function openHost(
  { programs, kubeconfig }: Kubernetes,
  settings: Partial<HelmSettings> = {},
  clock: Clock = systemClock,
): OpenHost {
  const read = readKubeconfig(readFileSync(kubeconfig, 'utf8'));
  if (read.kubeconfig === undefined) throw new Error(read.fault);
  const connection = connectToHost(read.kubeconfig, { clock });
  const workDir = mkdtempSync(join(tmpdir(), 'kubernetes-host-'));
  const helm: HelmSettings = {
    ...defaultHelmSettings,
    program: programs.helm,
    path: programs.chart,
    environment: { PATH: process.env.PATH ?? '' },
    ...settings,
  };
  const host = openKubernetesHost({ connection, helm, workDir, clock, log: silentLog });
  return {
    host,
    fetch: connection.fetch,
    workDir,
    async close() {
      await host.close();
      await connection.close();
      rmSync(workDir, { recursive: true, force: true });
    },
  };
}
