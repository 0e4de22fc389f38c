import type { Project } from '../../api/management/v1/project.ts';
import { readVerbs } from './access-list.ts';
import type { Caller } from './caller.ts';
import type { GuardedObject } from './guarded-object.ts';

/** Returns the text that identifies a user in indexes. */
export function userPrincipal(name: string): string {
  return `user:${name}`;
}

export function teamPrincipal(name: string): string {
  return `team:${name}`;
}

/** The principal for `*` in an `access` list: all users and teams. */
export const everyPrincipal = '*';

/** Returns all principals that represent this caller: the user or team, the user's teams, and everybody. */
export function principalsOf(caller: Caller): string[] {
  return [
    ...(caller.user === undefined ? [] : [userPrincipal(caller.user)]),
    ...caller.teams.map(teamPrincipal),
    everyPrincipal,
  ];
}

/** Returns the principals that are members of a project. */
export function membersOfProject(project: Project): Set<string> {
  const members = new Set<string>();
  for (const { kind, name } of project.spec?.members ?? []) {
    members.add(kind === 'Team' ? teamPrincipal(name) : userPrincipal(name));
  }
  return members;
}

/** Returns the principals that may read an object because they own it or its `access` list names them. */
export function readersOf({ spec }: GuardedObject): Set<string> {
  const readers = new Set<string>();
  const { user = '', team = '' } = spec?.owner ?? {};
  if (user !== '') readers.add(userPrincipal(user));
  if (team !== '') readers.add(teamPrincipal(team));
  for (const { verbs, subresources = [], users = [], teams = [] } of spec?.access ?? []) {
    if (subresources.length > 0 && !subresources.includes('*')) continue;
    if (!verbs.includes('*') && !readVerbs.some((verb) => verbs.includes(verb))) continue;
    for (const name of users) readers.add(name === '*' ? everyPrincipal : userPrincipal(name));
    for (const name of teams) readers.add(teamPrincipal(name));
  }
  return readers;
}
