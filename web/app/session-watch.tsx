import { kinds } from '../data/kind-ref.ts';
import { useRows } from '../data/rows/use-rows.ts';

/**
 * Watches the access key of the session. This watch ends when the session ends, so even a page without any other watch
 * shows the sign-in form at once. Renders nothing.
 */
export function SessionWatch({ login }: { readonly login: string }) {
  useRows({ kind: kinds.ownedKey, fieldSelector: `metadata.name=${login}` });
  return null;
}
