import type { AccessEntry } from '../../src/api/management/v1/access.ts';
import type { Principal } from './principals.ts';

/** A principal in the `access` list of an object, with the permissions that the list entry grants to the principal. */
export interface AccessGrant {
  readonly principal: Principal;
  readonly verbs: readonly string[];
  /** The subresources that the permissions apply to; empty if they apply to the object itself. */
  readonly subresources: readonly string[];
}

/** An object of a kind whose spec has an access list. */
type Shareable = { readonly spec?: { readonly access?: readonly AccessEntry[] } };

export function accessEntries({ spec }: Shareable): readonly AccessEntry[] {
  return spec?.access ?? [];
}

export function accessGrants(object: Shareable): readonly AccessGrant[] {
  return accessEntries(object).flatMap(({ users = [], teams = [], verbs, subresources = [] }) => [
    ...users.map((name): AccessGrant => ({ principal: { kind: 'User', name }, verbs, subresources })),
    ...teams.map((name): AccessGrant => ({ principal: { kind: 'Team', name }, verbs, subresources })),
  ]);
}

function gives(entry: AccessEntry, { verbs, subresources }: Omit<AccessGrant, 'principal'>): boolean {
  const same = (a: readonly string[], b: readonly string[]) =>
    a.length === b.length && a.every((one) => b.includes(one));
  return same(entry.verbs, verbs) && same(entry.subresources ?? [], subresources);
}

/**
 * Returns the entries with a new grant. If an entry already contains exactly the granted permissions, adds the
 * principal to that entry.
 */
export function withGrant(entries: readonly AccessEntry[], grant: AccessGrant): AccessEntry[] {
  const member = memberOf(grant.principal);
  const { name } = grant.principal;
  const at = entries.findIndex((entry) => gives(entry, grant));
  if (at < 0) {
    const { verbs, subresources } = grant;
    const covered = subresources.length === 0 ? {} : { subresources: [...subresources] };
    return [...entries, { verbs: [...verbs], ...covered, [member]: [name] }];
  }
  return entries.map((entry, index) => {
    const names = entry[member] ?? [];
    return index !== at || names.includes(name) ? entry : { ...entry, [member]: [...names, name] };
  });
}

/** Returns the entries without a grant. If no principal is left in an entry, removes the entry. */
export function withoutGrant(entries: readonly AccessEntry[], grant: AccessGrant): AccessEntry[] {
  const member = memberOf(grant.principal);
  const { name } = grant.principal;
  return entries.flatMap((entry) => {
    const names = entry[member] ?? [];
    if (!gives(entry, grant) || !names.includes(name)) return [entry];
    const left = { ...entry, [member]: names.filter((each) => each !== name) };
    return (left.users ?? []).length + (left.teams ?? []).length === 0 ? [] : [left];
  });
}

function memberOf({ kind }: Principal): 'users' | 'teams' {
  return kind === 'User' ? 'users' : 'teams';
}
