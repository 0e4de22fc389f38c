import type { KubeObject } from '../../api/meta.ts';
import { listAt, textAt, textsAt } from '../../lib/json-path.ts';
import { isJsonObject } from '../../lib/json-value.ts';
import { readVerbs } from './access-list.ts';
import type { Caller } from './caller.ts';

/** Users and teams as keys of an index. */
export function userPrincipal(name: string): string {
  return `user:${name}`;
}

export function teamPrincipal(name: string): string {
  return `team:${name}`;
}

/** What an `access` list means by `*`. */
export const everyPrincipal = '*';

/** Everything under which objects can mean this caller, everybody included. */
export function principalsOf(caller: Caller): string[] {
  return [
    ...(caller.user === undefined ? [] : [userPrincipal(caller.user)]),
    ...caller.teams.map(teamPrincipal),
    everyPrincipal,
  ];
}

/** The members of a project. */
export function membersOfProject(project: KubeObject): Set<string> {
  const members = new Set<string>();
  for (const member of listAt(project, 'spec', 'members')) {
    const name = textAt(member, 'name');
    if (name !== '') members.add(textAt(member, 'kind') === 'Team' ? teamPrincipal(name) : userPrincipal(name));
  }
  return members;
}

/** Who may read an object because it is theirs, or because its `access` says so. */
export function readersOf(object: KubeObject): Set<string> {
  const readers = new Set<string>();
  const { spec } = object;
  if (!isJsonObject(spec)) return readers;
  const user = textAt(spec.owner, 'user');
  const team = textAt(spec.owner, 'team');
  if (user !== '') readers.add(userPrincipal(user));
  if (team !== '') readers.add(teamPrincipal(team));
  for (const entry of Array.isArray(spec.access) ? spec.access : []) {
    const subresources = textsAt(entry, 'subresources');
    const verbs = textsAt(entry, 'verbs');
    if (subresources.length > 0 && !subresources.includes('*')) continue;
    if (!verbs.includes('*') && !readVerbs.some((verb) => verbs.includes(verb))) continue;
    for (const name of textsAt(entry, 'users')) readers.add(name === '*' ? everyPrincipal : userPrincipal(name));
    for (const name of textsAt(entry, 'teams')) readers.add(teamPrincipal(name));
  }
  return readers;
}
