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
  /** The type of the problem, for example `failed`. Issues with the same cause and the same reason form a group. */
  readonly cause: string;
  readonly what: string;
  /** The end of the sentence about a group of issues: "virtual clusters have failed". */
  readonly many: string;
  /** The label of the issue's object in a group: the name of the object, and its project if the object has one. */
  readonly label: string;
  /**
   * The reason, in words that do not name the object, so that issues with the same reason can be grouped; '' if there
   * is none.
   */
  readonly why: string;
  /** The part of the message that is specific to this object; '' if there is none. */
  readonly detail: string;
  readonly next: string;
  readonly target: IssueTarget;
}

/** Issues with equal cause and reason. There is at least one. */
export interface IssueGroup {
  readonly key: string;
  readonly first: Issue;
  readonly issues: readonly Issue[];
}

const minute = 60_000;

/** The milliseconds after which an unfinished creation or deletion counts as stuck. */
const stuckAfter = 5 * minute;

type SeenRows<Type extends KubeObject = KubeObject> = Pick<RowsSnapshot<Type>, 'columns' | 'rows'>;

export interface FleetRows {
  readonly instances: SeenRows;
  /** The clusters. The rows contain whole objects. */
  readonly clusters: SeenRows<Cluster>;
  /** The access keys. The rows contain whole objects. */
  readonly keys: SeenRows<AccessKey>;
}

export interface IssueOptions {
  /** The current time in milliseconds since the epoch. */
  readonly now: number;
  /**
   * True if the user may change clusters. Issues of clusters are shown only to these users, because only they can
   * resolve them.
   */
  readonly mayChangeClusters: boolean;
}

export function findIssues(
  { instances, clusters, keys }: FleetRows,
  { now, mayChangeClusters }: IssueOptions,
): readonly Issue[] {
  const issues = [
    ...instanceIssues(instances, now),
    ...(mayChangeClusters ? clusters.rows.flatMap((row) => clusterIssues(row)) : []),
    ...keys.rows.flatMap((row) => keyIssues(row, now)),
  ];
  return issues.sort((a, b) => rank(a) - rank(b) || (a.key < b.key ? -1 : 1));
}

/** Groups issues by cause and reason, in the order of the first issue of each group. */
export function groupIssues(issues: readonly Issue[]): readonly IssueGroup[] {
  const groups = new Map<string, Issue[]>();
  for (const issue of issues) {
    const key = `${issue.cause} ${issue.why}`;
    const group = groups.get(key);
    if (group === undefined) groups.set(key, [issue]);
    else group.push(issue);
  }
  return [...groups].flatMap(([key, [first, ...rest]]) =>
    first === undefined ? [] : [{ key, first, issues: [first, ...rest] }],
  );
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
    const subject = `Virtual cluster "${name}" in project "${project}"`;
    const common = {
      key: `instance ${row.key}`,
      label: `${name} in project ${project}`,
      target: { page: 'instance', project, name } as const,
      urgency: 'now' as const,
      why: message(row),
      detail: '',
    };
    const phase = status(row);
    if (phase === 'Failed') {
      const next = 'Open the virtual cluster to see its conditions and events.';
      return [
        { ...common, cause: 'failed', what: `${subject} has failed`, many: 'virtual clusters have failed', next },
      ];
    }
    if (phase === quarantinedReason) {
      const next =
        'Open the virtual cluster to see its conditions and events. An administrator can lift the quarantine.';
      const many = 'virtual clusters are quarantined';
      return [{ ...common, cause: 'quarantined', what: `${subject} is quarantined`, many, next }];
    }
    const terminatingMs = deletionTimestamp === undefined ? Number.NaN : now - Date.parse(deletionTimestamp);
    if (terminatingMs > stuckAfter) {
      const next =
        'Open it to see what remains to be deleted. The deletion completes after its cluster reports that nothing is left.';
      const duration = formatDuration(terminatingMs);
      const what = `${subject} has been terminating for ${duration}`;
      const many = 'virtual clusters cannot be deleted';
      return [{ ...common, cause: 'terminating', what, many, detail: `for ${duration}`, next }];
    }
    const waitingMs = now - Date.parse(creationTimestamp);
    if ((phase === 'Pending' || phase === '') && waitingMs > stuckAfter) {
      const next = 'Open it to see which step it is waiting for.';
      const duration = formatDuration(waitingMs);
      const what = `${subject} is not ready after ${duration}`;
      return [
        {
          ...common,
          cause: 'pending',
          what,
          many: 'virtual clusters are not ready',
          detail: `after ${duration}`,
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
      label: name,
      urgency: 'now',
      cause: wasConnected ? 'unreachable' : 'unconnected',
      many: wasConnected ? 'clusters cannot be reached' : 'clusters are not connected yet',
      detail: '',
      what: wasConnected ? `Cluster "${name}" cannot be reached` : `Cluster "${name}" is not connected yet`,
      // Replaces the server's message about a missing agent, which is for users of the API. In the console, users
      // follow the steps in the Connection tab.
      why: isWaiting ? 'No virtual cluster can run on it until its agent connects.' : message,
      next: wasConnected
        ? 'Its virtual clusters cannot be changed until it can be reached again. Check its network and credentials.'
        : `${isWaiting ? '' : 'No virtual cluster can run on it yet. '}Its Connection tab shows the next steps.`,
      target: { page: 'cluster', name },
    },
  ];
}

/**
 * Returns an issue for a key that has expired or expires soon, that is unused, or that the server is about to disable.
 * Returns none for sessions, because users simply sign in again.
 */
function keyIssues({ object, metadata: { name = '' } }: Row<AccessKey>, now: number): Issue[] {
  const { type, disabled = false } = object.spec ?? {};
  if (type === 'Login' || disabled) return [];
  const found = endOfKey(object, now) ?? noticeOfKey(object, now);
  if (found === undefined) return [];
  const [cause, detail, next] = found;
  const label = displayNameOf(object);
  const { one, many } = keyTexts[cause];
  const what = `Access key "${label}" ${one}`;
  const common = { key: `key ${name}`, urgency: 'soon', target: { page: 'key', name } } as const;
  return [{ ...common, cause: `key ${cause}`, what, many: `access keys ${many}`, label, why: '', detail, next }];
}

const keyTexts = {
  expired: { one: 'has expired', many: 'have expired' },
  expiring: { one: 'expires soon', many: 'expire soon' },
  disabling: { one: 'will be disabled', many: 'will be disabled' },
  unused: { one: 'is not used', many: 'are not used' },
} as const;

type KeyIssue = readonly [cause: keyof typeof keyTexts, detail: string, next: string];

function endOfKey(key: AccessKey, now: number): KeyIssue | undefined {
  const end = accessKeyExpiry(key);
  // A key whose lifetime restarts with every use does not expire as long as it is used.
  if (end === undefined || key.spec?.ttlAfterLastActivity === true) return undefined;
  if (accessKeyPhase(key, now) === 'Expired') {
    const why = `It expired ${formatDuration(now - end)} ago and no longer works.`;
    return ['expired', why, 'Delete it, or create a new one.'];
  }
  // A key with a short lifetime is reported only in the last quarter of its lifetime. Otherwise a new key would be
  // reported at once.
  const life = end - Date.parse(key.metadata.creationTimestamp ?? '');
  if (end - now > Math.min(expiryReminder, life / 4)) return undefined;
  const next = 'Create a new key and replace this one wherever it is used.';
  return ['expiring', `It expires in ${formatDuration(end - now)}.`, next];
}

function noticeOfKey(key: AccessKey, now: number): KeyIssue | undefined {
  const { message = '' } = key.status ?? {};
  if (message !== '') return ['disabling', `The server reports: ${message}.`, 'Replace its value to keep it.'];
  if (!isUnused(key, now)) return undefined;
  return ['unused', `It is ${accessKeyNotice(key, now)}.`, 'Delete it if nothing needs it.'];
}
