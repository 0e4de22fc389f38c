import type { Owner } from '../../src/api/management/v1/owner.ts';
import type { Principal } from './principals.ts';

/** An object of a kind whose spec has an owner. */
type Owned = { readonly spec?: { readonly owner?: Owner } };

/** Returns the owner of an object; `undefined` if it has none. */
export function ownerOf({ spec }: Owned): Principal | undefined {
  const { user = '', team = '' } = spec?.owner ?? {};
  if (user !== '') return { kind: 'User', name: user };
  return team === '' ? undefined : { kind: 'Team', name: team };
}

/** Returns the `spec` members of a merge patch that sets the owner. */
export function ownerPatch({ kind, name }: Principal): object {
  return { owner: kind === 'User' ? { user: name, team: null } : { user: null, team: name } };
}
