import type { Project } from '../../api/management/v1/project.ts';
import type { Caller } from '../../auth/authz/caller.ts';
import type { GuardedObject } from '../../auth/authz/guarded-object.ts';
import { teamPrincipal, userPrincipal } from '../../auth/authz/principals.ts';
import { adminsOfProject } from '../../auth/authz/project-grants.ts';
import type { WorkBudget } from '../../lib/work-budget.ts';
import type { ManagementState } from '../state.ts';
import { instanceNotices } from './instance-notices.ts';
import { keyNotices } from './key-notices.ts';
import type { Notice } from './notice.ts';
import { quotaNotices } from './quota-notices.ts';

type State = Pick<ManagementState, 'projects' | 'instancesOf' | 'spacesOf' | 'accessKeys'>;

/** The notices about one project for those who manage it. */
type ProjectNotices = readonly Notice[];

/**
 * The notices about all objects, in one pass, for many callers. `of` returns the same notices for a caller as `findNotices`,
 * which inspects the objects for one caller.
 */
export class FleetNotices {
  readonly #all: ProjectNotices[] = [];
  /** By the principals of the users and teams that manage a project. */
  readonly #managed = new Map<string, ProjectNotices[]>();
  /** By the principals of the owners of instances and keys, and of those whose own quota is nearly reached. */
  readonly #own = new Map<string, Notice[]>();

  private constructor() {}

  static async collect(state: State, now: number, work: WorkBudget): Promise<FleetNotices> {
    const notices = new FleetNotices();
    const spend = async () => {
      if (work.spend(1)) await work.next();
    };
    for (const project of state.projects()) {
      await spend();
      const { name = '' } = project.metadata;
      const found = quotaNotices(project, { managesProject: true, owner: undefined });
      for (const user of Object.keys(project.status?.quotas?.user?.used ?? {})) {
        await spend();
        notices.#addOwn(userPrincipal(user), quotaNotices(project, { managesProject: false, owner: user }));
      }
      for (const instances of [state.instancesOf(name), state.spacesOf(name)]) {
        for (const instance of instances) {
          await spend();
          const about = instanceNotices(instance, now);
          if (about.length === 0) continue;
          found.push(...about);
          notices.#addOwn(ownerPrincipal(instance), about);
        }
      }
      notices.#addProject(project, found);
    }
    for (const key of state.accessKeys()) {
      await spend();
      notices.#addOwn(ownerPrincipal({ spec: { owner: key.spec ?? {} } }), keyNotices(key, now));
    }
    return notices;
  }

  /** Yields the notices for the caller. A notice may be repeated. */
  *of({ user, teams, isAdmin }: Caller): Iterable<Notice> {
    const principals = [...(user === undefined ? [] : [userPrincipal(user)]), ...teams.map(teamPrincipal)];
    const projects = isAdmin ? this.#all : principals.flatMap((one) => this.#managed.get(one) ?? []);
    for (const notices of projects) yield* notices;
    for (const principal of principals) yield* this.#own.get(principal) ?? [];
  }

  #addProject(project: Project, notices: ProjectNotices): void {
    if (notices.length === 0) return;
    this.#all.push(notices);
    const admins = adminsOfProject(project).map(({ kind, name }) =>
      kind === 'Team' ? teamPrincipal(name) : userPrincipal(name),
    );
    for (const principal of new Set([...admins, ownerPrincipal(project)])) {
      if (principal !== undefined) addTo(this.#managed, principal, [notices]);
    }
  }

  #addOwn(principal: string | undefined, notices: readonly Notice[]): void {
    if (principal !== undefined && notices.length > 0) addTo(this.#own, principal, notices);
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
