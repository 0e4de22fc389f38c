import type { AccessKey } from '../../api/management/v1/access-key.ts';
import type { Project } from '../../api/management/v1/project.ts';
import { projectNamespace } from '../../api/naming.ts';
import type { Caller } from '../../auth/authz/caller.ts';
import { owns } from '../../auth/authz/owns.ts';
import { principalsOf } from '../../auth/authz/principals.ts';
import { hasRole } from '../../auth/authz/project-grants.ts';
import { WorkBudget } from '../../lib/work-budget.ts';
import type { ManagementState } from '../state.ts';
import { instanceNotifications } from './instance-notifications.ts';
import { keyNotifications } from './key-notifications.ts';
import type { Notification } from './notification.ts';
import { quotaNotifications } from './quota-notifications.ts';

type State = Pick<ManagementState, 'projects' | 'instancesOf' | 'spacesOf' | 'accessKeysOf' | 'hasReadableInstance'>;

export interface NotificationSearch {
  readonly caller: Caller;
  readonly state: State;
  readonly now: number;
  /** Waits until the caller may use more CPU time. Optional. */
  readonly nextTimeSlice?: (() => Promise<void>) | undefined;
}

/** Number of objects that are inspected per tick of the event loop. */
const objectsPerTick = 500;

/**
 * Finds the notifications for the caller. They are about instances and keys that the caller or a team of the caller
 * owns, and about everything in projects that the caller manages. For admins of the installation, they are also about
 * everything in all projects.
 */
export async function findNotifications({
  caller,
  state,
  now,
  nextTimeSlice,
}: NotificationSearch): Promise<Notification[]> {
  const found: Notification[] = [];
  const work = new WorkBudget(objectsPerTick, nextTimeSlice);
  const principals = principalsOf(caller);
  const spend = async () => {
    if (work.spend(1)) await work.next();
  };
  for (const project of state.projects()) {
    await spend();
    const { name = '' } = project.metadata;
    const manages = managesProject(caller, project);
    found.push(...quotaNotifications(project, { managesProject: manages, owner: caller.team ?? caller.user }));
    const namespace = projectNamespace(name);
    if (!manages && !principals.some((one) => state.hasReadableInstance(namespace, one))) continue;
    for (const instances of [state.instancesOf(name), state.spacesOf(name)]) {
      for (const instance of instances) {
        await spend();
        if (manages || owns(caller, instance)) found.push(...instanceNotifications(instance, now));
      }
    }
  }
  for (const key of keysOf(caller, state)) {
    await spend();
    found.push(...keyNotifications(key, now));
  }
  return found.sort(byUrgency);
}

function managesProject(caller: Caller, project: Project): boolean {
  return caller.isAdmin || hasRole(caller, project, 'admin') || owns(caller, project);
}

function* keysOf({ user, teams }: Caller, state: State): Iterable<AccessKey> {
  if (user !== undefined) yield* state.accessKeysOf('user', user);
  for (const team of teams) yield* state.accessKeysOf('team', team);
}

/** Warnings first, then the newest first. */
function byUrgency(one: Notification, other: Notification): number {
  if (one.isWarning !== other.isWarning) return one.isWarning ? -1 : 1;
  return (other.since ?? 0) - (one.since ?? 0) || (one.id < other.id ? -1 : 1);
}
