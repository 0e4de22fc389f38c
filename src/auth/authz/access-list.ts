import type { KubeObject } from '../../api/meta.ts';
import { textsAt } from '../../lib/json-path.ts';
import { isJsonObject, type JsonValue } from '../../lib/json-value.ts';
import type { Caller } from './caller.ts';

/** Reading is one right: whoever may see an object in a list may get it, and the other way round. */
export const readVerbs: readonly string[] = ['get', 'list', 'watch'];

export interface AccessQuestion {
  readonly verb: string;
  readonly subresource: string;
  /** Verbs on the object itself that give the right as well; empty: an entry must name the subresource. */
  readonly through: readonly string[];
}

/**
 * Whether the object's own `access` gives the caller this right. An entry without subresources is about the object
 * itself, one that names some is about these, and `*` is the object and all of them.
 */
export function givenByAccess(caller: Caller, object: KubeObject, asked: AccessQuestion): boolean {
  const entries = isJsonObject(object.spec) ? object.spec.access : undefined;
  if (!Array.isArray(entries) || entries.length === 0) return false;
  return entries.some((entry) => covers(entry, asked) && names(entry, caller));
}

function covers(entry: JsonValue, { verb, subresource, through }: AccessQuestion): boolean {
  const verbs = textsAt(entry, 'verbs');
  const subresources = textsAt(entry, 'subresources');
  const all = verbs.includes('*');
  const isWide = subresources.includes('*');
  if (isWide || subresources.length === 0) {
    if (through.length > 0 && (all || through.some((one) => verbs.includes(one)))) return true;
  }
  if (subresource === '' || !(isWide || subresources.includes(subresource))) return false;
  return all || verbs.includes(verb) || through.some((one) => verbs.includes(one));
}

function names(entry: JsonValue, caller: Caller): boolean {
  const users = textsAt(entry, 'users');
  if (users.includes('*') || (caller.user !== undefined && users.includes(caller.user))) return true;
  return textsAt(entry, 'teams').some((team) => caller.teams.includes(team));
}
