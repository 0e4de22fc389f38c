import { readKubeconfig } from '../../api/kubeconfig.ts';
import { StatusError, timedOut } from '../../api/status.ts';
import {
  type ClusterProbe,
  missingPermissions,
  probeCluster as probeClusterApi,
} from '../../hosts/kubernetes/observe/probe-cluster.ts';
import { type CredentialExpiry, credentialExpiry } from '../../hosts/kubernetes/reach/credential-expiry.ts';
import type { HostConnection } from '../../hosts/kubernetes/reach/host-connection.ts';
import type { Clock } from '../../lib/clock.ts';
import { withTimeout } from '../../lib/with-timeout.ts';

/** The result of probing a cluster. */
export interface ClusterProbeResult {
  /** Absent if the cluster could not be reached or refused the credentials. */
  readonly clusterInfo?: ClusterProbe;
  readonly failure?: ClusterProbeFailure;
  /** Readable names of missing permissions; `undefined` if they were not checked. */
  readonly missingPermissions?: readonly string[];
  readonly credentialEnd?: CredentialExpiry;
}

export interface ClusterProbeFailure {
  readonly reason: 'Unreachable' | 'CredentialsRefused' | 'KubeconfigUnusable' | 'NoAgent';
  readonly detail: string;
}

export interface ProbeOptions {
  readonly connection: HostConnection;
  /** True to check permissions too, which takes many requests if some are missing. */
  readonly withPermissions: boolean;
  readonly clock: Clock;
  readonly signal: AbortSignal;
}

/** Timeout for all requests of a probe together. A slower cluster is unusable for its users. */
const timeoutMs = 10_000;

/** Probes a cluster. Rejects only if the signal has fired. */
export async function probeCluster(options: ProbeOptions): Promise<ClusterProbeResult> {
  const { connection, clock, signal } = options;
  const end = credentialEndOf(connection);
  const credentials = end === undefined ? {} : { credentialEnd: end };
  const late = () => timedOut(`no response within ${timeoutMs / 1000} seconds`);
  try {
    return await withTimeout({ clock, milliseconds: timeoutMs, signal, timeoutError: late }, async (ending) => {
      const clusterInfo = await probeClusterApi(connection, ending);
      const missing = options.withPermissions
        ? { missingPermissions: await missingPermissions(connection, ending) }
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
