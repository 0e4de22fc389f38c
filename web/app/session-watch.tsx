import { kinds } from '../data/kind-ref.ts';
import { useRows } from '../data/rows/use-rows.ts';

/**
 * Watches the access key of the session. Whatever ends the session ends this watch, so a page without a watch of its
 * own also shows the sign-in form at once.
 */
export function SessionWatch({ login }: { readonly login: string }) {
  useRows({ kind: kinds.ownedKey, fieldSelector: `metadata.name=${login}` });
  return null;
}
