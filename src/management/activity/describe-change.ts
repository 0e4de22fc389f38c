import { equalJson, type JsonObject } from '@flotilla/json';
import type { activityActions } from '../../api/management/v1/notifications/activity-record.ts';
import { lastActivityAnnotation, nonDeletableAnnotation, sleepForceAnnotation } from '../../api/naming.ts';
import type { SharedObject } from '../shared-fields.ts';

/** The members of an activity record that a write determines. */
export interface ActivityChange {
  readonly action: (typeof activityActions)[number];
  readonly type: 'Normal' | 'Warning';
  readonly message: string;
}

/**
 * The maximum number of characters of a message. A longer explanation of a failure is truncated; the status of the
 * object contains the whole explanation.
 */
const maxMessageLength = 300;
/** The maximum number of names in a message. */
const maxNames = 5;

/**
 * Describes a write for the activity records. Returns `undefined` for writes without a record: the server's own bookkeeping,
 * and heartbeats of clients. Messages contain names of fields, users and teams, and never values of fields.
 */
export function describeChange(
  old: SharedObject | undefined,
  next: SharedObject | undefined,
  { isByServer }: { readonly isByServer: boolean },
): ActivityChange | undefined {
  const isEnding = (object: SharedObject | undefined) =>
    object === undefined || object.metadata.deletionTimestamp !== undefined;
  if (old === undefined) return next === undefined || isByServer ? undefined : normal('Created', 'created');
  // The deletion was recorded when it began. The final removal of the object must not be recorded as another deletion.
  if (isEnding(old)) return undefined;
  if (isEnding(next)) return normal('Deleted', isByServer ? 'deleted by the server' : 'deleted');
  if (next === undefined) return undefined;
  return isByServer ? phaseChange(old, next) : clientChange(old, next);
}

function normal(action: ActivityChange['action'], message: string): ActivityChange {
  return { action, type: 'Normal', message: shortened(message) };
}

function shortened(message: string): string {
  return message.length <= maxMessageLength ? message : `${message.slice(0, maxMessageLength - 1)}…`;
}

/** Describes a change of the observed phase. */
function phaseChange(old: SharedObject, next: SharedObject): ActivityChange | undefined {
  const [before, after] = [phaseOf(old), phaseOf(next)];
  if (before === after) return undefined;
  if (after === 'Failed') {
    const message = shortened(next.status?.message || 'failed');
    return { action: 'Failed', type: 'Warning', message };
  }
  if (after === 'Sleeping') return normal('Slept', 'went to sleep');
  if (before === 'Sleeping') return normal('Woke', 'woke up');
  const isUp = after === 'Ready' || after === 'Initialized';
  if (!isUp) return undefined;
  return before === 'Failed' ? normal('Recovered', 'works again') : normal('Ready', 'became ready');
}

function phaseOf(object: SharedObject): string {
  return object.status?.phase ?? '';
}

function clientChange(old: SharedObject, next: SharedObject): ActivityChange | undefined {
  const [forcedBefore, forced] = [old, next].map((one) => annotationOf(one, sleepForceAnnotation) === 'true');
  if (forced !== forcedBefore) {
    return forced === true
      ? normal('SleepRequested', 'requested to put it to sleep')
      : normal('WakeRequested', 'requested to wake it');
  }
  const shared = sharingChange(old, next);
  const fields = changedFields(old, next);
  if (shared !== '') return normal('Shared', shared);
  return fields.length === 0 ? undefined : normal('Changed', `changed ${someNames(fields)}`);
}

function annotationOf(object: SharedObject, name: string): string {
  return object.metadata.annotations?.[name] ?? '';
}

/** Returns the names of users and teams that got or lost access, as a text; '' if there are none. */
function sharingChange(old: SharedObject, next: SharedObject): string {
  const [before, after] = [principalsOf(old), principalsOf(next)];
  const added = [...after].filter((one) => !before.has(one));
  const removed = [...before].filter((one) => !after.has(one));
  const parts = [
    ...(added.length === 0 ? [] : [`gave access to ${someNames(added)}`]),
    ...(removed.length === 0 ? [] : [`removed the access of ${someNames(removed)}`]),
  ];
  return parts.join(' and ');
}

/** Returns the users and teams that the object gives access to, such as `user anna`. */
function principalsOf(object: SharedObject): ReadonlySet<string> {
  const found = new Set<string>();
  const { access = [], extraAccessRules = [], members = [] } = object.spec ?? {};
  for (const { users = [], teams = [] } of [...access, ...extraAccessRules]) {
    for (const user of users) found.add(user === '*' ? 'everybody' : `user ${user}`);
    for (const team of teams) found.add(`team ${team}`);
  }
  for (const { kind = '', name = '' } of members) found.add(`${kind.toLowerCase()} ${name}`);
  return found;
}

/** Members of the metadata whose changes are recorded. */
const recordedMetadata = ['labels', 'annotations'] as const;

/** Returns the names of the changed fields, without values. */
function changedFields(old: SharedObject, next: SharedObject): string[] {
  const inSpec = changedMembers(old.spec ?? {}, next.spec ?? {}).map((name) => `spec.${name}`);
  const inMetadata = recordedMetadata.flatMap((part) => {
    const changed = changedMembers(old.metadata[part] ?? {}, next.metadata[part] ?? {});
    return changed
      .filter((name) => !silentAnnotations.has(name))
      .map((name) => knownNames.get(name) ?? `metadata.${part}`);
  });
  return [...new Set([...inSpec, ...inMetadata])];
}

/**
 * Annotations that are not recorded, because clients change them all the time or because they repeat other parts of the
 * object.
 */
const silentAnnotations: ReadonlySet<string> = new Set([
  lastActivityAnnotation,
  'kubectl.kubernetes.io/last-applied-configuration',
]);

const knownNames: ReadonlyMap<string, string> = new Map([[nonDeletableAnnotation, 'the protection from deletion']]);

function changedMembers(before: JsonObject, after: JsonObject): string[] {
  const names = new Set([...Object.keys(before), ...Object.keys(after)]);
  return [...names].filter((name) => !isEqualMember(before, after, name));
}

function isEqualMember(before: JsonObject, after: JsonObject, name: string): boolean {
  const [one, other] = [before, after].map((members) => (Object.hasOwn(members, name) ? members[name] : undefined));
  return one === undefined || other === undefined ? one === other : equalJson(one, other);
}

function someNames(names: readonly string[]): string {
  if (names.length <= maxNames) return names.join(', ');
  return `${names.slice(0, maxNames).join(', ')} and ${names.length - maxNames} more`;
}
