import { needsAwait } from '../../lib/maybe-promise.ts';
import type { KindRuntime } from '../kind-runtime.ts';
import { guardKey } from '../rows/rows.ts';
import { withStatusErrors } from '../store-status.ts';
import type { Guard } from './guard.ts';

/**
 * Takes the guard of a limit, and waits until the caches of the plane contain all writes that were made before this
 * call. `subject` identifies the thing that the limit applies to, for example a project.
 */
export async function takeGuard(
  { store, slice, cache, guardSecret }: Pick<KindRuntime, 'store' | 'slice' | 'cache' | 'guardSecret'>,
  limit: string,
  subject: string,
): Promise<Guard> {
  const key = guardKey(slice, limit, subject, guardSecret);
  const row = await withStatusErrors(store.get(key));
  const fresh = cache.freshRevision();
  if (needsAwait(fresh)) await fresh;
  return { key, revision: row?.revision };
}
