import type { AccessEntry } from '../../api/management/v1/access.ts';
import type { Caller } from './caller.ts';
import type { GuardedObject } from './guarded-object.ts';

/**
 * The verbs for reading. A grant of one of these verbs grants all three: a caller who can list an object can get it,
 * and vice versa.
 */
export const readVerbs: readonly string[] = ['get', 'list', 'watch'];

export interface AccessListQuery {
  readonly verb: string;
  readonly subresource: string;
  /**
   * The verbs on the object that imply the permission: an `access` entry that grants one of these verbs on the object
   * itself also grants the permission. If empty, only an entry that names the subresource grants the permission.
   */
  readonly impliedBy: readonly string[];
}

/** The permission to read an object. */
export const reading: AccessListQuery = { verb: 'get', subresource: '', impliedBy: readVerbs };

/**
 * True if the `access` list of the object grants the permission to the caller. An entry without subresources applies
 * only to the object itself. An entry with subresources applies only to these subresources. `*` stands for the object
 * and all subresources.
 */
export function accessListGrants(caller: Caller, object: GuardedObject, query: AccessListQuery): boolean {
  const entries = object.spec?.access;
  if (entries === undefined || entries.length === 0) return false;
  return entries.some((entry) => covers(entry, query) && namesCaller(entry, caller));
}

function covers({ verbs, subresources = [] }: AccessEntry, { verb, subresource, impliedBy }: AccessListQuery): boolean {
  const all = verbs.includes('*');
  const coversAll = subresources.includes('*');
  if (coversAll || subresources.length === 0) {
    if (impliedBy.length > 0 && (all || impliedBy.some((one) => verbs.includes(one)))) return true;
  }
  if (subresource === '' || !(coversAll || subresources.includes(subresource))) return false;
  return all || verbs.includes(verb) || impliedBy.some((one) => verbs.includes(one));
}

function namesCaller({ users = [], teams = [] }: AccessEntry, caller: Caller): boolean {
  if (users.includes('*') || (caller.user !== undefined && users.includes(caller.user))) return true;
  return teams.some((team) => caller.teams.includes(team));
}
