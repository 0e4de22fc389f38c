import type { KindRef } from '../../data/kind-ref.ts';

/** Returns the plural of a kind in the capitalization of the kind: "ConfigMaps", "NetworkPolicies". */
export function pluralKind({ kind, plural }: Pick<KindRef, 'kind' | 'plural'>): string {
  const lower = kind.toLowerCase();
  let common = 0;
  while (common < lower.length && lower[common] === plural[common]) common++;
  return common === 0 ? kind : kind.slice(0, common) + plural.slice(common);
}
