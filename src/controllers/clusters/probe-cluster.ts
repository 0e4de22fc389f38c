import { readKubeconfig } from '../../api/kubeconfig.ts';
import { StatusError, timedOut } from '../../api/status.ts';
import {
  type ClusterProbe,
  missingPermissions,
  probeCluster as probeClusterApi,
} from '../../hosts/kubernetes/observe/probe-cluster.ts';
import { readOnlyPermissions, requiredPermissions } from '../../hosts/kubernetes/observe/required-permissions.ts';
import { type CredentialExpiry, credentialExpiry } from '../../hosts/kubernetes/reach/credential-expiry.ts';
import type { HostConnection } from '../../hosts/kubernetes/reach/host-connection.ts';
import type { Clock } from '../../lib/clock.ts';
import { withTimeout } from '../../lib/with-timeout.ts';

export interface ClusterProbeResult {
  /** The version and uid of the cluster; absent if it could not be reached or rejected the credentials. */
  readonly clusterInfo?: ClusterProbe;
  readonly failure?: ClusterProbeFailure;
  /** Descriptions of the missing permissions; `undefined` if permissions were not checked. */
  readonly missingPermissions?: readonly string[];
  readonly credentialEnd?: CredentialExpiry;
}

export interface ClusterProbeFailure {
  readonly reason: 'Unreachable' | 'CredentialsRefused' | 'KubeconfigUnusable' | 'NoAgent';
  readonly detail: string;
}

export interface ProbeOptions {
  readonly connection: HostConnection;
  /** True to check the permissions of the credentials. If permissions are missing, the check takes many requests. */
  readonly withPermissions: boolean;
  /** True if the server only imports virtual clusters from the cluster, and so needs fewer permissions. */
  readonly readOnly: boolean;
  readonly clock: Clock;
  readonly signal: AbortSignal;
}

/** Timeout for all requests of one probe together. A cluster that takes longer counts as unreachable. */
const timeoutMs = 10_000;

/** Probes a cluster. An unreachable cluster is a result, not an error: the promise rejects only if aborted. */
export async function probeCluster(options: ProbeOptions): Promise<ClusterProbeResult> {
  const { connection, readOnly, clock, signal } = options;
  const required = readOnly ? readOnlyPermissions : requiredPermissions;
  const end = credentialEndOf(connection);
  const credentials = end === undefined ? {} : { credentialEnd: end };
  const late = () => timedOut(`no response within ${timeoutMs / 1000} seconds`);
  try {
    return await withTimeout({ clock, milliseconds: timeoutMs, signal, timeoutError: late }, async (ending) => {
      const clusterInfo = await probeClusterApi(connection, ending);
      const missing = options.withPermissions
        ? { missingPermissions: await missingPermissions(connection, { required, signal: ending }) }
        : {};
      return { clusterInfo, ...missing, ...credentials };
    });
  } catch (error) {
    if (signal.aborted) throw error;
    return { failure: failureOf(error), ...credentials };
  }
}

function credentialEndOf(connection: HostConnection): CredentialExpiry | undefined {
  const { kubeconfig } = readKubeconfig(connection.kubeconfig);
  return kubeconfig === undefined ? undefined : credentialExpiry(kubeconfig);
}

function failureOf(error: unknown): ClusterProbeFailure {
  const isRefusal = error instanceof StatusError && error.code === 401;
  if (isRefusal) return { reason: 'CredentialsRefused', detail: 'the cluster rejected the credentials' };
  return { reason: 'Unreachable', detail: error instanceof Error ? error.message : String(error) };
}
