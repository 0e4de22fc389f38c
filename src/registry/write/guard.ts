import type { Key } from '../../store/key.ts';
import type { Revision } from '../../store/store.ts';

/**
 * A row that makes a limit on the number of objects exact even if several processes create objects. Every write that
 * the limit applies to takes the guard before it counts the objects. The transaction of the write checks that the guard
 * is unchanged and replaces it. If two writes have counted the same objects, only one of them succeeds. The other write
 * is retried and counts again. Deletes need no guard, because they only reduce the number of objects.
 */
export interface Guard {
  readonly key: Key;
  /** The revision of the guard's row when the guard was taken; `undefined` if the row did not exist. */
  readonly revision: Revision | undefined;
}
