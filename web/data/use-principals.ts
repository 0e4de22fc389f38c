import { kinds } from './kind-ref.ts';
import { type KnownPrincipal, knownPrincipals, principalKey } from './principals.ts';
import { type UsedRows, useRows } from './use-rows.ts';

export interface KnownPrincipals {
  readonly isLoading: boolean;
  readonly list: readonly KnownPrincipal[];
  /** By `User/name` or `Team/name`; undefined for what one may not see. */
  readonly byKey: ReadonlyMap<string, KnownPrincipal>;
}

/** The users and teams that one may see, as they are now. */
export function usePrincipals(): KnownPrincipals {
  return gathered(useRows({ kind: kinds.user }), useRows({ kind: kinds.team }));
}

/** Every name in a list of thousands asks for the same: it is made once for as long as nobody comes or goes. */
let last: { readonly of: readonly unknown[]; readonly value: KnownPrincipals } | undefined;

function gathered(users: UsedRows, teams: UsedRows): KnownPrincipals {
  const isLoading = users.state === 'loading' || teams.state === 'loading';
  const of = [users.rows, teams.rows, isLoading];
  if (last?.of.every((one, index) => one === of[index]) === true) return last.value;
  const list = [...knownPrincipals('User', users), ...knownPrincipals('Team', teams)];
  const value = { isLoading, list, byKey: new Map(list.map((one) => [principalKey(one), one])) };
  last = { of, value };
  return value;
}
