import type { KubeObject } from '../api/meta.ts';
import { projectRoles } from '../api/naming.ts';
import { listAt, objectAt, textAt, textsAt } from '../lib/json-path.ts';
import { equalJson } from '../lib/json-value.ts';
import type { Draft } from '../registry/resource.ts';
import type { Caller } from './caller.ts';

/** Whether the object's own `access` gives the caller this right on the object itself. */
export function namedInAccess(caller: Caller, object: KubeObject | undefined, verb: string): boolean {
  return listAt(object, 'spec', 'access').some((entry) => {
    const verbs = textsAt(entry, 'verbs');
    if (!verbs.includes(verb) && !verbs.includes('*')) return false;
    const subresources = textsAt(entry, 'subresources');
    if (subresources.length > 0 && !subresources.includes('*')) return false;
    const users = textsAt(entry, 'users');
    return (
      users.includes('*') ||
      (caller.user !== undefined && users.includes(caller.user)) ||
      textsAt(entry, 'teams').some((team) => caller.teams.includes(team))
    );
  });
}

/** Whether the caller has this role in the project, directly or through a team. */
export function hasProjectRole(caller: Caller, project: KubeObject | undefined, role: string): boolean {
  return listAt(project, 'spec', 'members').some((member) => {
    if (textAt(member, 'clusterRole') !== role) return false;
    const name = textAt(member, 'name');
    return textAt(member, 'kind') === 'Team' ? caller.teams.includes(name) : name !== '' && name === caller.user;
  });
}

export function isProjectAdmin(caller: Caller, project: KubeObject | undefined): boolean {
  return caller.isAdmin || hasProjectRole(caller, project, projectRoles.admin);
}

/** The members of spec that this write changes; for a create, those that it gives. */
export function changedFields(draft: Draft): string[] {
  const now = objectAt(draft.object, 'spec') ?? {};
  const before = objectAt(draft.old?.object, 'spec') ?? {};
  const fields = new Set([...Object.keys(now), ...Object.keys(before)]);
  return [...fields].filter((field) => {
    const left = Object.hasOwn(now, field) ? now[field] : undefined;
    const right = Object.hasOwn(before, field) ? before[field] : undefined;
    return !equalJson(left, right);
  });
}

/** What the owner of a cluster, template, user or team may change without being named in `access`. */
export const displayFields: ReadonlySet<string> = new Set(['displayName', 'description']);
