import { StatusError } from '../../api/status.ts';
import { contextWithChanges, type RequestContext } from '../context.ts';
import type { KindRuntime } from '../kind-runtime.ts';
import { type DeleteOptions, type ListOptions, peekWithoutManagedFields, type ServedList } from '../verbs.ts';
import { deleteWithoutWarning, warnAboutOrphans } from './delete.ts';
import { list } from './list.ts';

/**
 * Lists objects, deletes them one after another, and returns the list (DELCOL-01, DELCOL-02). Skips objects that no
 * longer exist and stops at the first other error (DELCOL-03).
 */
export async function deleteCollection(
  kind: KindRuntime,
  context: RequestContext,
  which: ListOptions,
  options: DeleteOptions,
): Promise<ServedList> {
  warnAboutOrphans(kind, context, options);
  const matched = await list(kind, context, which);
  for (const item of matched.items) {
    const { name = '', namespace = '' } = peekWithoutManagedFields(item).metadata;
    try {
      await deleteWithoutWarning(kind, contextWithChanges(context, { namespace }), name, options);
    } catch (error) {
      if (!(error instanceof StatusError) || error.code !== 404) throw error;
    }
  }
  return matched;
}
