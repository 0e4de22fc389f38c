import { kinds } from '../data/kind-ref.ts';
import { useRows } from '../data/rows/use-rows.ts';

/**
 * Watches the access key of the session. The watch ends with the session, so the sign-in form appears at once, even on
 * a page without any other watch. Renders nothing.
 */
export function SessionWatch({ login }: { readonly login: string }) {
  useRows({ kind: kinds.ownedKey, fieldSelector: `metadata.name=${login}` });
  return null;
}
