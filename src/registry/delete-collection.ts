import { StatusError } from '../api/status.ts';
import { contextWith, type RequestContext } from './context.ts';
import { deleteObject } from './delete.ts';
import type { KindRuntime } from './kind-runtime.ts';
import { list } from './list.ts';
import { type DeleteOptions, glanceAt, type ListOptions, type ServedList } from './verbs.ts';

/**
 * Deletes what a list with these options shows, one after the other; answers with the list as it was (DELCOL-01,
 * DELCOL-02). What is gone meanwhile is passed over, the first other error ends it (DELCOL-03).
 */
export async function deleteCollection(
  kind: KindRuntime,
  context: RequestContext,
  which: ListOptions,
  options: DeleteOptions,
): Promise<ServedList> {
  const matched = await list(kind, context, which);
  for (const item of matched.items) {
    const { name = '', namespace = '' } = glanceAt(item).metadata;
    try {
      await deleteObject(kind, contextWith(context, { namespace }), name, options);
    } catch (error) {
      if (!(error instanceof StatusError) || error.code !== 404) throw error;
    }
  }
  return matched;
}
