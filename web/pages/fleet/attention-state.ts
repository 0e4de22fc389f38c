import type { RowsSnapshot } from '../../data/rows/live-rows.ts';

/**
 * The completeness of the data in which the console looks for issues: `loading` until all lists are loaded,
 * `unavailable` if the server does not respond, `partial` if the caller may see only some of the objects.
 */
export type AttentionState = 'complete' | 'partial' | 'loading' | 'unavailable';

export function attentionState(
  lists: readonly Pick<RowsSnapshot, 'state'>[],
  { seesAll }: { readonly seesAll: boolean },
): AttentionState {
  const states = new Set(lists.map(({ state }) => state));
  if (states.has('interrupted')) return 'unavailable';
  if (states.has('loading')) return 'loading';
  return seesAll && !states.has('refused') ? 'complete' : 'partial';
}
