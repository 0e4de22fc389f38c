import { type Condition, setCondition } from '../../api/conditions.ts';
import { type Cluster, clusterConditionTypes } from '../../api/management/v1/cluster.ts';
import { timestamp } from '../../api/meta.ts';
import type { ClusterProbeResult } from './probe-cluster.ts';
import type { ReplacedClusterReason } from './replaced-cluster.ts';

type ClusterCondition = (typeof clusterConditionTypes)[number];

/** The conditions that `Ready` summarizes. `Ready` copies the first condition in this order that is False. */
const summarizedConditions = clusterConditionTypes.filter((type) => type !== 'Ready');

/** A condition's status, its machine-readable reason, and its message, which explains to users what to do. */
type ConditionContent = Required<Pick<Condition, 'status' | 'reason' | 'message'>>;

export type ClusterMismatch = ReplacedClusterReason | { readonly reason: 'AlreadyConnected'; readonly message: string };

export interface ClusterStatusOptions {
  readonly probeResult: ClusterProbeResult;
  /**
   * The reason why the probed cluster differs from the cluster that this Cluster object describes; `undefined` if they
   * are the same.
   */
  readonly mismatch: ClusterMismatch | undefined;
  readonly now: number;
}

/** A warning starts this long before credentials expire. A week always includes working days. */
const warningPeriodMs = 7 * 24 * 3600 * 1000;
/**
 * The maximum number of missing permissions that the condition message lists. If more permissions are missing, the
 * message states their number.
 */
const maxListedPermissions = 12;
const newKubeconfig = 'Set a new spec.kubeconfig.';

export type ClusterStatus = NonNullable<Cluster['status']>;

/** Returns the complete new status of a Cluster object after a probe. */
export function clusterStatus(cluster: Cluster, { probeResult, mismatch, now }: ClusterStatusOptions): ClusterStatus {
  const before = cluster.status ?? {};
  const { clusterInfo, failure, missingPermissions } = probeResult;
  let conditions = before.conditions ?? [];
  const set = (type: ClusterCondition, content: ConditionContent): void => {
    const condition = { type, ...content, observedGeneration: cluster.metadata.generation ?? 0 };
    conditions = setCondition(conditions, condition, now);
  };
  set('Reachable', reachability(probeResult));
  // Set each of the following conditions only if this probe could check it. Otherwise the condition keeps its previous
  // value.
  if (clusterInfo !== undefined || failure?.reason === 'CredentialsRefused')
    set('CredentialsValid', credentialsValid(probeResult, now));
  if (clusterInfo !== undefined) set('Unique', uniqueness(mismatch));
  if (missingPermissions !== undefined) set('RightsSufficient', permissionsSufficient(missingPermissions));
  const { reason, message, status } = summarize(conditions);
  set('Ready', { reason, message, status });
  return {
    ...before,
    phase: clusterInfo === undefined || mismatch !== undefined ? 'Failed' : 'Initialized',
    reason,
    message,
    online: clusterInfo !== undefined,
    ...(clusterInfo === undefined || clusterInfo.kubernetesVersion === ''
      ? {}
      : { kubernetesVersion: clusterInfo.kubernetesVersion }),
    ...(clusterInfo === undefined || clusterInfo.uid === '' || mismatch !== undefined
      ? {}
      : { clusterUID: clusterInfo.uid }),
    observedGeneration: cluster.metadata.generation ?? 0,
    conditions,
  };
}

function reachability({ failure }: ClusterProbeResult): ConditionContent {
  if (failure?.reason === 'KubeconfigUnusable') {
    return { status: 'False', reason: failure.reason, message: `${failure.detail}. ${newKubeconfig}` };
  }
  if (failure?.reason === 'NoAgent') return { status: 'False', reason: failure.reason, message: failure.detail };
  if (failure?.reason === 'Unreachable') {
    const message = `Cannot reach the cluster: ${failure.detail}. Retrying automatically.`;
    return { status: 'False', reason: failure.reason, message };
  }
  return { status: 'True', reason: 'Answers', message: 'The API of the cluster responds.' };
}

function credentialsValid({ failure, credentialEnd }: ClusterProbeResult, now: number): ConditionContent {
  const end =
    credentialEnd === undefined
      ? undefined
      : `The ${credentialEnd.credential} expires at ${timestamp(credentialEnd.at)}.`;
  if (failure !== undefined) {
    const isOver = credentialEnd !== undefined && credentialEnd.at <= now;
    return isOver
      ? {
          status: 'False',
          reason: 'CredentialsExpired',
          message: `${end?.replace('expires', 'expired')} ${newKubeconfig}`,
        }
      : { status: 'False', reason: failure.reason, message: `The cluster rejects the credentials. ${newKubeconfig}` };
  }
  if (credentialEnd !== undefined && credentialEnd.at - now < warningPeriodMs) {
    const message = `${end} Set a new spec.kubeconfig before then.`;
    return { status: 'True', reason: 'ExpiringSoon', message };
  }
  return {
    status: 'True',
    reason: 'Accepted',
    message: `The credentials are accepted.${end === undefined ? '' : ` ${end}`}`,
  };
}

function uniqueness(mismatch: ClusterMismatch | undefined): ConditionContent {
  if (mismatch !== undefined) return { status: 'False', ...mismatch };
  return { status: 'True', reason: 'Unique', message: 'No other Cluster object refers to this cluster.' };
}

function permissionsSufficient(missing: readonly string[]): ConditionContent {
  if (missing.length === 0) {
    return { status: 'True', reason: 'Sufficient', message: 'The credentials have all required permissions.' };
  }
  const shown = missing.slice(0, maxListedPermissions).join(', ');
  const more = missing.length > maxListedPermissions ? `, and ${missing.length - maxListedPermissions} more` : '';
  const message = `The credentials lack permissions: ${shown}${more}. Bind a cluster role with these permissions to their user.`;
  return { status: 'False', reason: 'MissingRights', message };
}

function summarize(conditions: readonly Condition[]): ConditionContent {
  const summed = summarizedConditions.flatMap((type) => conditions.filter((condition) => condition.type === type));
  const decisive =
    summed.find(({ status }) => status === 'False') ?? summed.find(({ reason }) => reason === 'ExpiringSoon');
  const { status = 'True', reason = 'Online', message = 'The cluster is ready.' } = decisive ?? {};
  return { status, reason, message };
}
