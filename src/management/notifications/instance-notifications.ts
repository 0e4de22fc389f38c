import { parseSleepSeconds } from '../../api/management/parse-sleep-seconds.ts';
import { isAutoSleepRefused } from '../../api/management/sleep-reasons.ts';
import { sleepReminderMs } from '../../api/management/sleep-reminder.ts';
import { type SpaceInstance, spaceInstanceKind } from '../../api/management/v1/space-instance.ts';
import {
  type VirtualClusterInstance,
  virtualClusterInstanceKind,
} from '../../api/management/v1/virtual-cluster-instance.ts';
import { deleteAfterAnnotation, projectOfNamespace, sleepAfterAnnotation } from '../../api/naming.ts';
import { formatDuration } from '../../api/table.ts';
import { isNonDeletable } from '../non-deletable.ts';
import type { Notification } from './notification.ts';

type Instance = VirtualClusterInstance | SpaceInstance;

/** The longest time before a deletion at which people are notified. */
const maxDeletionReminderMs = 24 * 3_600_000;

/** Returns the notifications about an instance for its owner and for admins. */
export function instanceNotifications(instance: Instance, now: number): Notification[] {
  if (instance.metadata.deletionTimestamp !== undefined) return [];
  const found = [failure(instance), deletion(instance, now), sleep(instance, now)];
  return found.filter((one) => one !== undefined);
}

function failure(instance: Instance): Notification | undefined {
  const { phase, message = '', conditions = [] } = instance.status ?? {};
  if (phase !== 'Failed') return undefined;
  const since = Date.parse(conditions.find(({ type }) => type === 'Ready')?.lastTransitionTime ?? '');
  const reason = message === '' ? '' : `: ${message}`;
  return notification(instance, 'Failed', since, `${subjectOf(instance)} has failed${reason}`);
}

function deletion(instance: Instance, now: number): Notification | undefined {
  const end = isNonDeletable(instance) ? undefined : endOf(instance, deleteAfterAnnotation);
  const start = end && end.time - Math.min(maxDeletionReminderMs, end.length / 4);
  if (end === undefined || start === undefined || now < start || now >= end.time) return undefined;
  const message = `${subjectOf(instance)} will be deleted in ${formatDuration(end.time - now)} unless it is used`;
  return notification(instance, 'DeletedSoon', start, message);
}

function sleep(instance: Instance, now: number): Notification | undefined {
  const end = sleepsIfUnused(instance) ? endOf(instance, sleepAfterAnnotation) : undefined;
  const start = end && end.time - sleepReminderMs(end.length);
  if (end === undefined || start === undefined || now < start || now >= end.time) return undefined;
  const message = `${subjectOf(instance)} will go to sleep in ${formatDuration(end.time - now)} unless it is used`;
  return notification(instance, 'SleepsSoon', start, message);
}

/**
 * True if auto-sleep puts the instance to sleep. The instance must be awake and managed by this server, and must either
 * keep its data or be permitted to lose it.
 */
function sleepsIfUnused(instance: Instance): boolean {
  const isExternal = instance.spec !== undefined && 'external' in instance.spec && instance.spec.external === true;
  return instance.status?.phase === 'Ready' && !isExternal && !isAutoSleepRefused(instance);
}

interface IdleEnd {
  /** The time at which the period without use ends. */
  readonly time: number;
  /** The length of the period in milliseconds. */
  readonly length: number;
}

function endOf({ metadata, status }: Instance, annotation: string): IdleEnd | undefined {
  const seconds = parseSleepSeconds(metadata.annotations?.[annotation] ?? '');
  const last = Date.parse(status?.lastActivity ?? '');
  if (seconds === undefined || Number.isNaN(last)) return undefined;
  return { time: last + seconds * 1_000, length: seconds * 1_000 };
}

function subjectOf({ kind, metadata: { name = '', namespace = '' } }: Instance): string {
  const noun = kind === spaceInstanceKind.kind ? 'Space' : 'Virtual cluster';
  return `${noun} "${name}" in project "${projectOfNamespace(namespace) ?? namespace}"`;
}

function notification(
  { kind, metadata }: Instance,
  reason: Notification['reason'],
  since: number,
  message: string,
): Notification {
  const { name = '', namespace = '', uid = '' } = metadata;
  const time = Number.isNaN(since) ? undefined : since;
  const id = `${reason}/${uid}/${time ?? ''}`;
  const { plural, group } = kind === spaceInstanceKind.kind ? spaceInstanceKind : virtualClusterInstanceKind;
  return {
    id,
    topic: id,
    reason,
    isWarning: reason !== 'SleepsSoon',
    message,
    since: time,
    involvedObject: { kind, namespace, name },
    readPermission: { verb: 'get', group, resource: plural, namespace, name },
  };
}
