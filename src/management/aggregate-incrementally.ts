import type { JsonObject } from '@flotilla/json';
import type { KubeObject, TypedObject } from '../api/meta.ts';
import { compareObjectKeys, type ObjectKey } from '../registry/cache/object-index.ts';
import type { KindStore } from '../registry/kind-store.ts';
import { peekWithoutManagedFields } from '../registry/verbs.ts';

/** The number of objects processed per tick: a few milliseconds. */
const objectsPerTick = 100;

/**
 * Aggregates all objects of a kind and keeps the aggregate up to date. `change` is called for each object that is added
 * (1) and removed (-1), and may read only metadata and spec. Existing objects are processed over several ticks of the
 * event loop, so that a server with very many objects does not block. Call the returned function before reading the
 * aggregate: it processes the remaining objects at once if necessary, and returns true.
 */
export function aggregateIncrementally<Fields extends JsonObject>(
  store: KindStore<Fields>,
  change: (object: TypedObject<Fields>, by: 1 | -1) => void,
): () => true {
  let remaining = store.peekAll();
  let next = 0;
  /** The last processed object; all before it are processed too. */
  let lastProcessed: ObjectKey | undefined;
  /** Unprocessed objects that change notifications have already counted. */
  const counted = new Set<string>();

  const process = (upTo: number): void => {
    for (const served of remaining.slice(next, upTo)) {
      const object = peekWithoutManagedFields(served);
      next++;
      lastProcessed = objectKeyOf(object);
      if (!counted.delete(idOf(lastProcessed))) change(object, 1);
    }
    if (next < remaining.length) return;
    remaining = [];
    counted.clear();
    lastProcessed = undefined;
  };
  const processInBackground = (): void => {
    if (remaining.length === 0) return;
    process(next + objectsPerTick);
    if (remaining.length > 0) setImmediate(processInBackground);
  };

  const isUnprocessed = (objectKey: ObjectKey): boolean =>
    remaining.length > 0 && (lastProcessed === undefined || compareObjectKeys(objectKey, lastProcessed) > 0);

  store.listen(({ before, after }) => {
    if (before !== undefined && after !== undefined && isSameSpec(before.object, after.object)) return;
    const objectKey = objectKeyOf((after ?? before)?.object);
    const id = idOf(objectKey);
    const unprocessed = isUnprocessed(objectKey);
    // An unprocessed object is counted only if an earlier change notification counted it.
    if (before !== undefined && (!unprocessed || counted.has(id))) change(before.object, -1);
    if (unprocessed) counted.add(id);
    if (after !== undefined) change(after.object, 1);
  });

  processInBackground();
  return () => {
    process(Number.POSITIVE_INFINITY);
    return true;
  };
}

/** The generation increases with every change of spec; status is written far more often. */
export function isSameSpec({ metadata: before }: KubeObject, { metadata: after }: KubeObject): boolean {
  return before.uid === after.uid && before.generation === after.generation;
}

function objectKeyOf(object: KubeObject | undefined): ObjectKey {
  return { namespace: object?.metadata.namespace ?? '', name: object?.metadata.name ?? '' };
}

/** Names contain no slash, so the ID is unambiguous. */
function idOf({ namespace, name }: ObjectKey): string {
  return `${namespace}/${name}`;
}
