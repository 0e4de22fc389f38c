import { maxOwnerReferencesInEtcd } from '../../api/validation/owner-references.ts';
import { StartError } from '../../process/start-error.ts';
import { ownersRange } from '../../registry/rows/rows.ts';
import { isKeyInRange, type Key } from '../../store/key.ts';
import type { DumpRow } from '../../store/store.ts';

/**
 * Yields the rows of a dump unchanged. Throws StartError if an object has more owner references than a store on etcd
 * accepts, because the transaction that deletes such an object would be too large for etcd.
 */
export async function* checkOwnerReferences(rows: AsyncIterable<DumpRow>): AsyncGenerator<DumpRow> {
  const counts = new Map<string, number>();
  for await (const row of rows) {
    if (row.row === 'entry' && isKeyInRange(ownersRange(row.key.slice), row.key)) count(row.key, counts);
    yield row;
  }
  for (const [object, owners] of counts) {
    if (owners <= maxOwnerReferencesInEtcd) continue;
    throw new StartError(
      `the object ${object} has ${owners} owner references, but an object in etcd can have at most ${maxOwnerReferencesInEtcd}; remove some of them and try again`,
    );
  }
}

/** Counts a row of the owner index. The segments of its key are the word `owners`, the owner, and the dependent. */
function count({ slice, segments }: Key, counts: Map<string, number>): void {
  const [, , ...dependent] = segments;
  const object = [slice, ...dependent].join('/');
  counts.set(object, (counts.get(object) ?? 0) + 1);
}
