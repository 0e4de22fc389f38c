import { shareRole } from '../../../../src/api/management/share-role.ts';
import type { AccessEntry, AccessRule } from '../../../../src/api/management/v1/access.ts';
import { rolesOfHolder, type VirtualClusterRoles } from '../../../../src/api/management/virtual-cluster-roles.ts';
import type { Instance } from '../../../data/instance-types.ts';
import { ownerOf } from '../../../data/owner.ts';
import { type Principal, principalKey } from '../../../data/principals.ts';
import type { InstanceState } from './instance-state.ts';

/** A user or team with access to an instance: the owner, or a principal in the access lists of the instance. */
export interface Grantee {
  readonly principal: Principal;
  readonly isOwner: boolean;
  /** The permissions as text for the user. */
  readonly permissions: string;
  /** The cluster roles inside the instance; empty if the principal may not use it. */
  readonly roles: readonly string[];
}

/** The wildcard user, which stands for all users. */
export const everyone: Principal = { kind: 'User', name: '*' };

/**
 * The names of the `access` entries that the console writes: `uses` for principals that may only use the instance,
 * `manages` for principals that may also manage it.
 */
const entryNames = { uses: 'shared', manages: 'shared-to-manage' } as const;
const entryVerbs = { uses: ['get', 'use'], manages: ['get', 'use', 'update', 'patch', 'delete'] } as const;

type ShareLists = { readonly access: AccessEntry[]; readonly extraAccessRules: AccessRule[] };

function listsOf({ spec }: Instance): ShareLists {
  return { access: spec?.access ?? [], extraAccessRules: spec?.extraAccessRules ?? [] };
}

type Named = { readonly users?: readonly string[]; readonly teams?: readonly string[] };

function principalsIn({ users = [], teams = [] }: Named): Principal[] {
  return [
    ...users.map((name): Principal => ({ kind: 'User', name })),
    ...teams.map((name): Principal => ({ kind: 'Team', name })),
  ];
}

/**
 * Returns all principals with access to an instance: the owner first, then all others in the order of the access lists.
 * `inside` contains the roles inside the instance.
 */
export function granteesOf(instance: Instance, inside: VirtualClusterRoles): readonly Grantee[] {
  const { access, extraAccessRules } = listsOf(instance);
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
  return [...(owner === undefined ? [] : [owner]), ...named.values()].map((principal): Grantee => {
    const isOwner = principal === owner;
    const own = isOwner ? ['*'] : (verbs.get(principalKey(principal)) ?? []);
    const holder = principal.kind === 'User' ? { user: principal.name, teams: [] } : { teams: [principal.name] };
    const canUse = own.some((verb) => verb === '*' || verb === 'use');
    return {
      principal,
      isOwner,
      permissions: permissionsText(own),
      roles: canUse ? rolesOfHolder(holder, inside) : [],
    };
  });
}

/** Returns verbs as text for the user, for example "View, use and delete". */
export function permissionsText(verbs: readonly string[]): string {
  if (verbs.includes('*')) return 'Full access';
  const words = [
    verbs.includes('get') ? 'view' : '',
    verbs.includes('use') ? 'use' : '',
    verbs.includes('update') || verbs.includes('patch') ? 'change' : '',
    verbs.includes('delete') ? 'delete' : '',
  ].filter(Boolean);
  const last = words.pop();
  if (last === undefined) return 'No access; the cluster role applies after access is granted';
  const text = words.length === 0 ? last : `${words.join(', ')} and ${last}`;
  return text.charAt(0).toUpperCase() + text.slice(1);
}

/** Returns the cluster role that the share dialog suggests. */
export function suggestedRole({ type, object }: Pick<InstanceState, 'type' | 'object'>): string {
  return shareRole(type.rolesOf(object).defaultRole, type.template.defaultRole);
}

export interface ShareOptions {
  readonly manages: boolean;
  /** The cluster role inside the instance. Optional; defaults to the role from the template. */
  readonly role?: string | undefined;
}

/**
 * Returns the access lists of an instance with a new grant for the principal. The new grant replaces all earlier grants
 * of the principal.
 */
export function withShare(instance: Instance, principal: Principal, { manages, role }: ShareOptions): ShareLists {
  const rest = withoutShare(instance, principal);
  const level = manages ? 'manages' : 'uses';
  const kept = rest.access.find(({ name }) => name === entryNames[level]);
  const entry = kept ?? { name: entryNames[level], verbs: [...entryVerbs[level]] };
  const same = rest.extraAccessRules.find(({ clusterRole }) => clusterRole === role);
  return {
    access: replaced(rest.access, kept, joined(entry, principal)),
    extraAccessRules:
      role === undefined || role === ''
        ? rest.extraAccessRules
        : replaced(rest.extraAccessRules, same, joined(same ?? { clusterRole: role }, principal)),
  };
}

/** Returns the access lists of an instance without the principal. An entry is removed if it then names no principal. */
export function withoutShare(instance: Instance, principal: Principal): ShareLists {
  const { access, extraAccessRules } = listsOf(instance);
  return {
    access: access.flatMap((entry) => withoutPrincipal(entry, principal)),
    extraAccessRules: extraAccessRules.flatMap((rule) => withoutPrincipal(rule, principal)),
  };
}

function membersOf({ kind }: Principal): 'users' | 'teams' {
  return kind === 'User' ? 'users' : 'teams';
}

function joined<Entry extends Named>(entry: Entry, principal: Principal): Entry {
  const member = membersOf(principal);
  return { ...entry, [member]: [...(entry[member] ?? []), principal.name] };
}

function withoutPrincipal<Entry extends Named>(entry: Entry, principal: Principal): Entry[] {
  const member = membersOf(principal);
  const names = entry[member] ?? [];
  if (!names.includes(principal.name)) return [entry];
  const left = { ...entry, [member]: names.filter((name) => name !== principal.name) };
  return principalsIn(left).length === 0 ? [] : [left];
}

function replaced<Entry>(list: readonly Entry[], before: Entry | undefined, after: Entry): Entry[] {
  return before === undefined ? [...list, after] : list.map((each) => (each === before ? after : each));
}
