import {
  accessKeyExpiry,
  accessKeyNotice,
  accessKeyPhase,
  expiryReminder,
  isUnused,
} from '../../../src/api/management/access-key-expiry.ts';
import type { AccessKey } from '../../../src/api/management/v1/access-key.ts';
import type { Cluster } from '../../../src/api/management/v1/cluster.ts';
import type { KubeObject } from '../../../src/api/meta.ts';
import { quarantinedReason } from '../../../src/api/quarantined-reason.ts';
import { formatDuration } from '../../../src/api/table.ts';
import { displayNameOf } from '../../data/objects/display-name.ts';
import { columnText } from '../../data/rows/fleet-counts.ts';
import { projectColumn } from '../../data/rows/list-columns.ts';
import type { RowsSnapshot } from '../../data/rows/live-rows.ts';
import type { Row } from '../../data/rows/table-rows.ts';
import { isWaitingForAgent } from '../hosts/cluster-info.ts';

/** The page on which the user can resolve an issue. */
export type IssueTarget =
  | { readonly page: 'instance'; readonly project: string; readonly name: string }
  | { readonly page: 'cluster'; readonly name: string }
  | { readonly page: 'key'; readonly name: string };

/** A problem that does not resolve itself: what happened, why, and the next step for the user. */
export interface Issue {
  readonly key: string;
  readonly urgency: 'now' | 'soon';
  readonly what: string;
  readonly why: string;
  readonly next: string;
  readonly target: IssueTarget;
}

const minute = 60_000;

/** A creation or deletion that takes longer than this time counts as stuck. */
const stuckAfter = 5 * minute;

type SeenRows<Type extends KubeObject = KubeObject> = Pick<RowsSnapshot<Type>, 'columns' | 'rows'>;

export interface FleetRows {
  readonly instances: SeenRows;
  /** The rows contain whole objects. */
  readonly clusters: SeenRows<Cluster>;
  /** The rows contain whole objects. */
  readonly keys: SeenRows<AccessKey>;
}

export function findIssues({ instances, clusters, keys }: FleetRows, now: number): readonly Issue[] {
  const issues = [
    ...instanceIssues(instances, now),
    ...clusters.rows.flatMap((row) => clusterIssues(row)),
    ...keys.rows.flatMap((row) => keyIssues(row, now)),
  ];
  return issues.sort((a, b) => rank(a) - rank(b) || (a.key < b.key ? -1 : 1));
}

function rank({ urgency }: Issue): number {
  return urgency === 'now' ? 0 : 1;
}

function instanceIssues(instances: SeenRows, now: number): Issue[] {
  const status = columnText(instances, 'Status');
  const message = columnText(instances, 'Message');
  return instances.rows.flatMap((row): Issue[] => {
    const { name = '', creationTimestamp = '', deletionTimestamp } = row.metadata;
    const project = projectColumn.text(row);
    const common = {
      key: `instance ${row.key}`,
      target: { page: 'instance', project, name } as const,
      urgency: 'now' as const,
    };
    const phase = status(row);
    if (phase === 'Failed' || phase === quarantinedReason) {
      const next = 'Open it to see its conditions and events.';
      const what = `Virtual cluster ${name} ${phase === 'Failed' ? 'has failed' : 'is quarantined'}`;
      return [{ ...common, what, why: message(row), next }];
    }
    const terminatingMs = deletionTimestamp === undefined ? Number.NaN : now - Date.parse(deletionTimestamp);
    if (terminatingMs > stuckAfter) {
      const next =
        'Open it to see what remains to be deleted. The deletion completes after its cluster reports that nothing is left.';
      return [
        {
          ...common,
          what: `Virtual cluster ${name} has been terminating for ${formatDuration(terminatingMs)}`,
          why: message(row),
          next,
        },
      ];
    }
    const waitingMs = now - Date.parse(creationTimestamp);
    if ((phase === 'Pending' || phase === '') && waitingMs > stuckAfter) {
      const next = 'Open it to see which step it is waiting for.';
      return [
        {
          ...common,
          what: `Virtual cluster ${name} is not ready after ${formatDuration(waitingMs)}`,
          why: message(row),
          next,
        },
      ];
    }
    return [];
  });
}

function clusterIssues({ object, metadata: { name = '' } }: Row<Cluster>): Issue[] {
  const { phase = '', online = false, kubernetesVersion = '', message = '' } = object.status ?? {};
  const isProbed = !['', 'Pending'].includes(phase);
  const isOffline = isProbed && !online;
  if (!isOffline) return [];
  const wasConnected = kubernetesVersion !== '';
  const isWaiting = isWaitingForAgent(object);
  return [
    {
      key: `cluster ${name}`,
      urgency: 'now',
      what: wasConnected ? `Cluster ${name} cannot be reached` : `Cluster ${name} is not connected yet`,
      // The message about a missing agent is for users of the API. The Connection tab offers the same steps.
      why: isWaiting ? 'No virtual cluster can run on it until its agent connects.' : message,
      next: wasConnected
        ? 'Its virtual clusters cannot be changed until it can be reached again. Check its network and credentials.'
        : `${isWaiting ? '' : 'No virtual cluster can run on it yet. '}Its Connection tab shows the next steps.`,
      target: { page: 'cluster', name },
    },
  ];
}

/**
 * Returns an issue for a key that has expired or expires soon, that the server is about to disable, or that nobody uses.
 * Sessions never count: users simply sign in again.
 */
function keyIssues({ object, metadata: { name = '' } }: Row<AccessKey>, now: number): Issue[] {
  const { type, disabled = false } = object.spec ?? {};
  if (type === 'Login' || disabled) return [];
  const found = endOfKey(object, now) ?? noticeOfKey(object, now);
  if (found === undefined) return [];
  const [state, why, next] = found;
  const what = `Access key ${displayNameOf(object)} ${state}`;
  return [{ key: `key ${name}`, urgency: 'soon', what, why, next, target: { page: 'key', name } }];
}

type KeyIssue = readonly [state: string, why: string, next: string];

function endOfKey(key: AccessKey, now: number): KeyIssue | undefined {
  const end = accessKeyExpiry(key);
  // Every use extends the lifetime, so a key in use does not expire.
  if (end === undefined || key.spec?.ttlAfterLastActivity === true) return undefined;
  if (accessKeyPhase(key, now) === 'Expired') {
    const why = `It expired ${formatDuration(now - end)} ago and no longer works.`;
    return ['has expired', why, 'Delete it, or create a new one.'];
  }
  // A key with a short lifetime is listed only in the last quarter of it, so that a new key is not an issue.
  const life = end - Date.parse(key.metadata.creationTimestamp ?? '');
  if (end - now > Math.min(expiryReminder, life / 4)) return undefined;
  const next = 'Create a new key and replace this one wherever it is used.';
  return ['expires soon', `It expires in ${formatDuration(end - now)}.`, next];
}

function noticeOfKey(key: AccessKey, now: number): KeyIssue | undefined {
  const { message = '' } = key.status ?? {};
  if (message !== '') return ['will be disabled', `The server reports: ${message}.`, 'Replace its value to keep it.'];
  if (!isUnused(key, now)) return undefined;
  return ['is not used', `It is ${accessKeyNotice(key, now)}.`, 'Delete it if nothing needs it.'];
}
