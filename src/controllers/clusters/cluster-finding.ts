import { readKubeconfig } from '../../api/kubeconfig.ts';
import { StatusError, timedOut } from '../../api/status.ts';
import { type CredentialEnd, credentialEnd } from '../../hosts/kubernetes/credential-end.ts';
import type { HostConnection } from '../../hosts/kubernetes/host-connection.ts';
import { type ClusterLook, lookAtCluster, missingRights } from '../../hosts/kubernetes/look-at-cluster.ts';
import type { Clock } from '../../lib/clock.ts';
import { within } from '../../lib/within.ts';

/** The result of probing a cluster. */
export interface ClusterFinding {
  /** Absent if the cluster could not be reached or refused the credentials. */
  readonly look?: ClusterLook;
  readonly failure?: ClusterFailure;
  /** Readable names of missing permissions; `undefined` if they were not checked. */
  readonly missingRights?: readonly string[];
  readonly credentialEnd?: CredentialEnd;
}

export interface ClusterFailure {
  readonly why: 'Unreachable' | 'CredentialsRefused' | 'KubeconfigUnusable' | 'NoAgent';
  readonly detail: string;
}

export interface FindOptions {
  readonly connection: HostConnection;
  /** True to check permissions too, which takes many requests if some are missing. */
  readonly withRights: boolean;
  readonly clock: Clock;
  readonly signal: AbortSignal;
}

/** Timeout for all requests of a probe together. A slower cluster is unusable for its users. */
const timeoutMs = 10_000;

/** Probes a cluster. Rejects only if the signal has fired. */
export async function findOut(options: FindOptions): Promise<ClusterFinding> {
  const { connection, clock, signal } = options;
  const end = credentialEndOf(connection);
  const credentials = end === undefined ? {} : { credentialEnd: end };
  const late = () => timedOut(`no response within ${timeoutMs / 1000} seconds`);
  try {
    return await within({ clock, milliseconds: timeoutMs, signal, late }, async (ending) => {
      const look = await lookAtCluster(connection, ending);
      const missing = options.withRights ? { missingRights: await missingRights(connection, ending) } : {};
      return { look, ...missing, ...credentials };
    });
  } catch (error) {
    if (signal.aborted) throw error;
    return { failure: failureOf(error), ...credentials };
  }
}

function credentialEndOf(connection: HostConnection): CredentialEnd | undefined {
  const { kubeconfig } = readKubeconfig(connection.kubeconfig);
  return kubeconfig === undefined ? undefined : credentialEnd(kubeconfig);
}

function failureOf(error: unknown): ClusterFailure {
  const isRefusal = error instanceof StatusError && error.code === 401;
  if (isRefusal) return { why: 'CredentialsRefused', detail: 'the cluster rejected the credentials' };
  return { why: 'Unreachable', detail: error instanceof Error ? error.message : String(error) };
}
