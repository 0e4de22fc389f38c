import { type Condition, setCondition } from '../../api/conditions.ts';
import { type KubeObject, timestamp } from '../../api/meta.ts';
import { listAt, objectAt } from '../../lib/json-path.ts';
import type { JsonObject, JsonValue } from '../../lib/json-value.ts';
import type { ClusterFinding } from './cluster-finding.ts';

/** The sum of them is `Ready`: the first that is False says why. */
const summedConditions = ['Reachable', 'CredentialsValid', 'Unique', 'RightsSufficient'] as const;

type ClusterCondition = (typeof summedConditions)[number] | 'Ready';

/** What a condition says: a word for programs, and what to do about it for people. */
type Verdict = Required<Pick<Condition, 'status' | 'reason' | 'message'>>;

export interface Mistaken {
  readonly reason: 'AlreadyConnected' | 'AnotherCluster';
  readonly message: string;
}

export interface ClusterStatusOptions {
  readonly finding: ClusterFinding;
  /** Why it is not this object's cluster that answers; undefined: it is. */
  readonly mistaken: Mistaken | undefined;
  readonly now: number;
}

/** From so long before their end on credentials are called for: a week has working days in it. */
const callMilliseconds = 7 * 24 * 3600 * 1000;
/** More are not listed: whoever reads on gives all of them at once. */
const shownRights = 12;
const newKubeconfig = 'Give the cluster a new spec.kubeconfig.';

/** What a Cluster says of itself after a look at it: the whole status, whatever of it is new. */
export function clusterStatus(cluster: KubeObject, { finding, mistaken, now }: ClusterStatusOptions): JsonObject {
  const before = objectAt(cluster, 'status') ?? {};
  const { look, failure, missingRights } = finding;
  let conditions = listAt(before, 'conditions') as unknown as Condition[];
  const say = (type: ClusterCondition, verdict: Verdict): void => {
    const condition = { type, ...verdict, observedGeneration: cluster.metadata.generation ?? 0 };
    conditions = setCondition(conditions, condition, now);
  };
  say('Reachable', reachable(finding));
  // What cannot be seen now is as it was seen last.
  if (look !== undefined || failure?.why === 'CredentialsRefused') say('CredentialsValid', valid(finding, now));
  if (look !== undefined) say('Unique', unique(mistaken));
  if (missingRights !== undefined) say('RightsSufficient', sufficient(missingRights));
  const { reason, message, status } = sumOf(conditions);
  say('Ready', { reason, message, status });
  return {
    ...before,
    phase: look === undefined || mistaken !== undefined ? 'Failed' : 'Initialized',
    reason,
    message,
    online: look !== undefined,
    ...(look === undefined || look.kubernetesVersion === '' ? {} : { kubernetesVersion: look.kubernetesVersion }),
    ...(look === undefined || look.uid === '' || mistaken !== undefined ? {} : { clusterUID: look.uid }),
    conditions: conditions as unknown as JsonValue,
  };
}

function reachable({ failure }: ClusterFinding): Verdict {
  if (failure?.why === 'KubeconfigUnusable') {
    return { status: 'False', reason: failure.why, message: `${failure.detail}. ${newKubeconfig}` };
  }
  if (failure?.why === 'NoAgent') return { status: 'False', reason: failure.why, message: failure.detail };
  if (failure?.why === 'Unreachable') {
    const message = `It cannot be reached: ${failure.detail}. The server tries again by itself.`;
    return { status: 'False', reason: failure.why, message };
  }
  return { status: 'True', reason: 'Answers', message: 'Its API answers.' };
}

function valid({ failure, credentialEnd }: ClusterFinding, now: number): Verdict {
  const end =
    credentialEnd === undefined ? undefined : `The ${credentialEnd.what} ends at ${timestamp(credentialEnd.at)}.`;
  if (failure !== undefined) {
    const isOver = credentialEnd !== undefined && credentialEnd.at <= now;
    return isOver
      ? { status: 'False', reason: 'CredentialsExpired', message: `${end?.replace('ends', 'ended')} ${newKubeconfig}` }
      : { status: 'False', reason: failure.why, message: `Its API does not know the credentials. ${newKubeconfig}` };
  }
  if (credentialEnd !== undefined && credentialEnd.at - now < callMilliseconds) {
    const message = `${end} Give the cluster a new spec.kubeconfig before.`;
    return { status: 'True', reason: 'ExpiringSoon', message };
  }
  return {
    status: 'True',
    reason: 'Accepted',
    message: `The credentials are accepted.${end === undefined ? '' : ` ${end}`}`,
  };
}

function unique(mistaken: Mistaken | undefined): Verdict {
  if (mistaken !== undefined) return { status: 'False', ...mistaken };
  return { status: 'True', reason: 'Unique', message: 'It is the cluster of this object, and of no other.' };
}

function sufficient(missing: readonly string[]): Verdict {
  if (missing.length === 0) {
    return { status: 'True', reason: 'Sufficient', message: 'The credentials allow all that the server does there.' };
  }
  const shown = missing.slice(0, shownRights).join(', ');
  const more = missing.length > shownRights ? `, and ${missing.length - shownRights} more` : '';
  const message = `The credentials do not allow: ${shown}${more}. Bind a role with these rights to their user, cluster-wide.`;
  return { status: 'False', reason: 'MissingRights', message };
}

function sumOf(conditions: readonly Condition[]): Verdict {
  const summed = summedConditions.flatMap((type) => conditions.filter((condition) => condition.type === type));
  const told =
    summed.find(({ status }) => status === 'False') ?? summed.find(({ reason }) => reason === 'ExpiringSoon');
  const { status = 'True', reason = 'Online', message = 'It can be used.' } = told ?? {};
  return { status, reason, message };
}
