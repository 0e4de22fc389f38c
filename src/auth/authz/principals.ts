import type { KubeObject } from '../../api/meta.ts';
import { listAt, textAt, textsAt } from '../../lib/json-path.ts';
import { isJsonObject } from '../../lib/json-value.ts';
import { readVerbs } from './access-list.ts';
import type { Caller } from './caller.ts';

/** Index keys of users and teams. */
export function userPrincipal(name: string): string {
  return `user:${name}`;
}

export function teamPrincipal(name: string): string {
  return `team:${name}`;
}

/** The principal that `*` stands for in an `access` list. */
export const everyPrincipal = '*';

/** All principals under which objects can refer to this caller, including everybody. */
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

/** The principals that may read an object as its owner or through its `access` list. */
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
