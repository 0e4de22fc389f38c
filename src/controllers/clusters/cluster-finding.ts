import { readKubeconfig } from '../../api/kubeconfig.ts';
import { StatusError, timedOut } from '../../api/status.ts';
import { type CredentialEnd, credentialEnd } from '../../hosts/kubernetes/credential-end.ts';
import type { HostConnection } from '../../hosts/kubernetes/host-connection.ts';
import { type ClusterLook, lookAtCluster, missingRights } from '../../hosts/kubernetes/look-at-cluster.ts';
import type { Clock } from '../../lib/clock.ts';
import { within } from '../../lib/within.ts';

/** What a look at a cluster brought to light. */
export interface ClusterFinding {
  /** Absent: it did not let the server in. */
  readonly look?: ClusterLook;
  readonly failure?: ClusterFailure;
  /** What the credentials are too weak for, as people read it; undefined: not asked. */
  readonly missingRights?: readonly string[];
  readonly credentialEnd?: CredentialEnd;
}

export interface ClusterFailure {
  readonly why: 'Unreachable' | 'CredentialsRefused' | 'KubeconfigUnusable' | 'NoAgent';
  readonly detail: string;
}

export interface FindOptions {
  readonly connection: HostConnection;
  /** Asked for rights, which takes many requests where they are not complete. */
  readonly withRights: boolean;
  readonly clock: Clock;
  readonly signal: AbortSignal;
}

/** All requests of a look together. A cluster that needs longer is of no use to whoever waits for it. */
const patienceMilliseconds = 10_000;

/** Never rejects, unless the signal has fired. */
export async function findOut(options: FindOptions): Promise<ClusterFinding> {
  const { connection, clock, signal } = options;
  const end = endOf(connection);
  const credentials = end === undefined ? {} : { credentialEnd: end };
  const late = () => timedOut(`it did not answer within ${patienceMilliseconds / 1000} seconds`);
  try {
    return await within({ clock, milliseconds: patienceMilliseconds, signal, late }, async (ending) => {
      const look = await lookAtCluster(connection, ending);
      const missing = options.withRights ? { missingRights: await missingRights(connection, ending) } : {};
      return { look, ...missing, ...credentials };
    });
  } catch (error) {
    if (signal.aborted) throw error;
    return { failure: failureOf(error), ...credentials };
  }
}

function endOf(connection: HostConnection): CredentialEnd | undefined {
  const { kubeconfig } = readKubeconfig(connection.kubeconfig);
  return kubeconfig === undefined ? undefined : credentialEnd(kubeconfig);
}

function failureOf(error: unknown): ClusterFailure {
  const isRefusal = error instanceof StatusError && error.code === 401;
  if (isRefusal) return { why: 'CredentialsRefused', detail: 'the cluster does not know these credentials' };
  return { why: 'Unreachable', detail: error instanceof Error ? error.message : String(error) };
}
