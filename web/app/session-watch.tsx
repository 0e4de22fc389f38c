import { kinds } from '../data/kind-ref.ts';
import { useRows } from '../data/use-rows.ts';

/**
 * Follows the key that the session is made of. Whatever ends the session ends this stream, so that a page that follows
 * nothing itself asks for sign-in at once too.
 */
export function SessionWatch({ login }: { readonly login: string }) {
  useRows({ kind: kinds.ownedKey, fieldSelector: `metadata.name=${login}` });
  return null;
}
