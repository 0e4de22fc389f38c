import type { Project } from '../../api/management/v1/project.ts';
import type { Caller } from '../../auth/authz/caller.ts';
import type { GuardedObject } from '../../auth/authz/guarded-object.ts';
import { teamPrincipal, userPrincipal } from '../../auth/authz/principals.ts';
import { adminsOfProject } from '../../auth/authz/project-grants.ts';
import type { WorkBudget } from '../../lib/work-budget.ts';
import type { ManagementState } from '../state.ts';
import { instanceNotifications } from './instance-notifications.ts';
import { keyNotifications } from './key-notifications.ts';
import type { Notification } from './notification.ts';
import { quotaNotifications } from './quota-notifications.ts';

type State = Pick<ManagementState, 'projects' | 'instancesOf' | 'spacesOf' | 'accessKeys'>;

/** The notifications about one project for the users and teams that manage the project. */
type ProjectNotifications = readonly Notification[];

/**
 * The notifications for many callers, found in one pass over all objects. `of` returns the same notifications for a
 * caller as `findNotifications`, which inspects the objects again for each caller.
 */
export class FleetNotifications {
  readonly #all: ProjectNotifications[] = [];
  /** The notifications of projects, by the principals of the users and teams that manage them. */
  readonly #managed = new Map<string, ProjectNotifications[]>();
  /** Other notifications, by principal: the owner of the instance or key, or the principal whose quota is nearly reached. */
  readonly #own = new Map<string, Notification[]>();

  private constructor() {}

  static async collect(state: State, now: number, work: WorkBudget): Promise<FleetNotifications> {
    const notifications = new FleetNotifications();
    const spend = async () => {
      if (work.spend(1)) await work.next();
    };
    for (const project of state.projects()) {
      await spend();
      const { name = '' } = project.metadata;
      const found = quotaNotifications(project, { managesProject: true, owner: undefined });
      for (const user of Object.keys(project.status?.quotas?.user?.used ?? {})) {
        await spend();
        notifications.#addOwn(userPrincipal(user), quotaNotifications(project, { managesProject: false, owner: user }));
      }
      for (const instances of [state.instancesOf(name), state.spacesOf(name)]) {
        for (const instance of instances) {
          await spend();
          const about = instanceNotifications(instance, now);
          if (about.length === 0) continue;
          found.push(...about);
          notifications.#addOwn(ownerPrincipal(instance), about);
        }
      }
      notifications.#addProject(project, found);
    }
    for (const key of state.accessKeys()) {
      await spend();
      notifications.#addOwn(ownerPrincipal({ spec: { owner: key.spec ?? {} } }), keyNotifications(key, now));
    }
    return notifications;
  }

  /** Yields the notifications for the caller. A notification may be repeated. */
  *of({ user, teams, isAdmin }: Caller): Iterable<Notification> {
    const principals = [...(user === undefined ? [] : [userPrincipal(user)]), ...teams.map(teamPrincipal)];
    const projects = isAdmin ? this.#all : principals.flatMap((one) => this.#managed.get(one) ?? []);
    for (const notifications of projects) yield* notifications;
    for (const principal of principals) yield* this.#own.get(principal) ?? [];
  }

  #addProject(project: Project, notifications: ProjectNotifications): void {
    if (notifications.length === 0) return;
    this.#all.push(notifications);
    const admins = adminsOfProject(project).map(({ kind, name }) =>
      kind === 'Team' ? teamPrincipal(name) : userPrincipal(name),
    );
    for (const principal of new Set([...admins, ownerPrincipal(project)])) {
      if (principal !== undefined) addTo(this.#managed, principal, [notifications]);
    }
  }

  #addOwn(principal: string | undefined, notifications: readonly Notification[]): void {
    if (principal !== undefined && notifications.length > 0) addTo(this.#own, principal, notifications);
  }
}

function ownerPrincipal({ spec }: Pick<GuardedObject, 'spec'>): string | undefined {
  const { user = '', team = '' } = spec?.owner ?? {};
  if (user !== '') return userPrincipal(user);
  return team === '' ? undefined : teamPrincipal(team);
}

function addTo<T>(lists: Map<string, T[]>, key: string, items: readonly T[]): void {
  const list = lists.get(key);
  if (list === undefined) lists.set(key, [...items]);
  else list.push(...items);
}
