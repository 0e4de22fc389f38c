import type { JsonObject, JsonValue } from '@flotilla/json';
import { WorkLimitError, WorkMeter } from '@flotilla/work-meter';
import { UnmergeablePatchError } from './patch-error.ts';

/**
 * The maximum number of visits per list item in a merge. One visit is enough to merge a list, and directives need two
 * more. A patch exceeds this maximum only if one of its lists has many items with the same merge key. Each of these
 * patch items is merged into the same original item, and the merge visits all lists of the original item each time.
 */
const visitsPerItem = 3;
/** The minimum limit, so that small patches can repeat merge keys. This number of visits takes about a millisecond. */
const minimumLimit = 10_000;

/** Returns a meter whose limit is proportional to the size of the document and of the patch. */
export function mergeMeter(document: JsonObject, patch: JsonObject): WorkMeter {
  const items = countItems(document) + countItems(patch);
  return new WorkMeter('merging the lists', Math.max(minimumLimit, items * visitsPerItem));
}

/** Calls `merge`. Throws an UnmergeablePatchError if the limit is exceeded. */
export function withinLimit<Result>(merge: () => Result): Result {
  try {
    return merge();
  } catch (error) {
    if (!(error instanceof WorkLimitError)) throw error;
    throw new UnmergeablePatchError(
      `${error.message}: the patch has too many list items with the same merge key; combine them into one item per key`,
    );
  }
}

/** Counts the list items in a value, without recursion because documents can be nested deeply. */
function countItems(root: JsonValue): number {
  let count = 0;
  const pending: JsonValue[] = [root];
  for (let value = pending.pop(); value !== undefined; value = pending.pop()) {
    if (typeof value !== 'object' || value === null) continue;
    if (Array.isArray(value)) count += value.length;
    const members = Array.isArray(value) ? value : Object.values(value);
    for (const member of members) if (typeof member === 'object' && member !== null) pending.push(member);
  }
  return count;
}
