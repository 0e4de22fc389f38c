import { kinds } from './kind-ref.ts';
import { type KnownPrincipal, knownPrincipals, principalKey } from './principals.ts';
import { type RowsWithRetry, useRows } from './rows/use-rows.ts';

export interface KnownPrincipals {
  readonly isLoading: boolean;
  readonly list: readonly KnownPrincipal[];
  /** Principals by `User/name` or `Team/name`. Contains only principals that the caller may see. */
  readonly byKey: ReadonlyMap<string, KnownPrincipal>;
}

/** Returns the users and teams that the caller may see, updated live. */
export function usePrincipals(): KnownPrincipals {
  return combine(useRows({ kind: kinds.user }), useRows({ kind: kinds.team }));
}

/** The last result. It is cached, because a list of thousands of names calls this hook for each name. */
let last: { readonly of: readonly unknown[]; readonly value: KnownPrincipals } | undefined;

function combine(users: RowsWithRetry, teams: RowsWithRetry): KnownPrincipals {
  const isLoading = users.state === 'loading' || teams.state === 'loading';
  const of = [users.rows, teams.rows, isLoading];
  if (last?.of.every((one, index) => one === of[index]) === true) return last.value;
  const list = [...knownPrincipals('User', users), ...knownPrincipals('Team', teams)];
  const value = { isLoading, list, byKey: new Map(list.map((one) => [principalKey(one), one])) };
  last = { of, value };
  return value;
}
