import { rolesInside, rolesOf } from '../../../../src/api/management/roles-inside.ts';
import type { AccessEntry, AccessRule } from '../../../../src/api/management/v1/access.ts';
import type { KubeObject } from '../../../../src/api/meta.ts';
import { listAt, textAt } from '../../../../src/lib/json-path.ts';
import { type Principal, principalKey } from '../../../data/principals.ts';

/** Somebody who gets something of a virtual cluster from the virtual cluster itself. */
export interface Shared {
  readonly principal: Principal;
  readonly isOwner: boolean;
  /** What they may do with it, in words. */
  readonly may: string;
  /** Their roles inside, where they get in. */
  readonly roles: readonly string[];
}

/** The user that stands for everybody. */
export const everybody: Principal = { kind: 'User', name: '*' };

/** Entries of `access` that are kept here, by whether those in them may change the virtual cluster too. */
const entryNames = { uses: 'shared', manages: 'shared-to-manage' } as const;
const entryVerbs = { uses: ['get', 'use'], manages: ['get', 'use', 'update', 'patch', 'delete'] } as const;

type ShareLists = { readonly access: AccessEntry[]; readonly extraAccessRules: AccessRule[] };

function listsOf(instance: KubeObject): ShareLists {
  return {
    access: listAt(instance, 'spec', 'access') as unknown as AccessEntry[],
    extraAccessRules: listAt(instance, 'spec', 'extraAccessRules') as unknown as AccessRule[],
  };
}

type Named = { readonly users?: readonly string[]; readonly teams?: readonly string[] };

function principalsIn({ users = [], teams = [] }: Named): Principal[] {
  return [
    ...users.map((name): Principal => ({ kind: 'User', name })),
    ...teams.map((name): Principal => ({ kind: 'Team', name })),
  ];
}

/** The owner first, then everybody else whom the virtual cluster names, in the order in which it does. */
export function sharedWith(instance: KubeObject): readonly Shared[] {
  const { access, extraAccessRules } = listsOf(instance);
  const inside = rolesInside(instance);
  const verbs = new Map<string, string[]>();
  const named = new Map<string, Principal>();
  for (const entry of access) {
    for (const principal of principalsIn(entry)) {
      const key = principalKey(principal);
      named.set(key, principal);
      verbs.set(key, [...(verbs.get(key) ?? []), ...entry.verbs]);
    }
  }
  for (const rule of extraAccessRules) {
    for (const principal of principalsIn(rule)) named.set(principalKey(principal), principal);
  }
  const owner = ownerOf(instance);
  if (owner !== undefined) named.delete(principalKey(owner));
  return [...(owner === undefined ? [] : [owner]), ...named.values()].map((principal): Shared => {
    const isOwner = principal === owner;
    const own = isOwner ? ['*'] : (verbs.get(principalKey(principal)) ?? []);
    const holder = principal.kind === 'User' ? { user: principal.name, teams: [] } : { teams: [principal.name] };
    const getsIn = own.some((verb) => verb === '*' || verb === 'use');
    return { principal, isOwner, may: mayWords(own), roles: getsIn ? rolesOf(holder, inside) : [] };
  });
}

function ownerOf(instance: KubeObject): Principal | undefined {
  const [user, team] = [textAt(instance, 'spec', 'owner', 'user'), textAt(instance, 'spec', 'owner', 'team')];
  if (user !== '') return { kind: 'User', name: user };
  return team === '' ? undefined : { kind: 'Team', name: team };
}

/** "see, use and delete it" */
export function mayWords(verbs: readonly string[]): string {
  if (verbs.includes('*')) return 'do everything with it';
  const words = [
    verbs.includes('get') ? 'see' : '',
    verbs.includes('use') ? 'use' : '',
    verbs.includes('update') || verbs.includes('patch') ? 'change' : '',
    verbs.includes('delete') ? 'delete' : '',
  ].filter(Boolean);
  const last = words.pop();
  if (last === undefined) return 'nothing yet; the role is for when they get in';
  return `${words.length === 0 ? last : `${words.join(', ')} and ${last}`} it`;
}

export interface Share {
  readonly manages: boolean;
  /** Their cluster role inside; absent: what the template gives. */
  readonly role?: string | undefined;
}

/** Both lists with this one in them, and nowhere else: what was given before is replaced. */
export function withShare(instance: KubeObject, principal: Principal, { manages, role }: Share): ShareLists {
  const rest = withoutShare(instance, principal);
  const way = manages ? 'manages' : 'uses';
  const kept = rest.access.find(({ name }) => name === entryNames[way]);
  const entry = kept ?? { name: entryNames[way], verbs: [...entryVerbs[way]] };
  const same = rest.extraAccessRules.find(({ clusterRole }) => clusterRole === role);
  return {
    access: replaced(rest.access, kept, joined(entry, principal)),
    extraAccessRules:
      role === undefined || role === ''
        ? rest.extraAccessRules
        : replaced(rest.extraAccessRules, same, joined(same ?? { clusterRole: role }, principal)),
  };
}

/** Both lists without this one; what names nobody any more goes. */
export function withoutShare(instance: KubeObject, principal: Principal): ShareLists {
  const { access, extraAccessRules } = listsOf(instance);
  return {
    access: access.flatMap((entry) => less(entry, principal)),
    extraAccessRules: extraAccessRules.flatMap((rule) => less(rule, principal)),
  };
}

function membersOf({ kind }: Principal): 'users' | 'teams' {
  return kind === 'User' ? 'users' : 'teams';
}

function joined<Entry extends Named>(entry: Entry, principal: Principal): Entry {
  const member = membersOf(principal);
  return { ...entry, [member]: [...(entry[member] ?? []), principal.name] };
}

function less<Entry extends Named>(entry: Entry, principal: Principal): Entry[] {
  const member = membersOf(principal);
  const names = entry[member] ?? [];
  if (!names.includes(principal.name)) return [entry];
  const left = { ...entry, [member]: names.filter((name) => name !== principal.name) };
  return principalsIn(left).length === 0 ? [] : [left];
}

function replaced<Entry>(list: readonly Entry[], before: Entry | undefined, after: Entry): Entry[] {
  return before === undefined ? [...list, after] : list.map((each) => (each === before ? after : each));
}
