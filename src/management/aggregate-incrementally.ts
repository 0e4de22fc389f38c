import type { JsonObject } from '@flotilla/json';
import type { KubeObject, TypedObject } from '../api/meta.ts';
import { compareObjectKeys, type ObjectKey } from '../registry/cache/object-index.ts';
import type { KindStore } from '../registry/kind-store.ts';
import { peekWithoutManagedFields } from '../registry/verbs.ts';

/** Number of objects that are processed per tick of the event loop. This takes a few milliseconds. */
const objectsPerTick = 100;

/**
 * Aggregates all objects of a kind and keeps the aggregate up to date. `change` is called with 1 for each added object
 * and with -1 for each removed object, and may read only metadata and spec. Existing objects are processed over several
 * ticks of the event loop, so a very large number of objects does not block the server. Callers must call the returned
 * function before they read the aggregate: it processes the remaining objects at once and returns true.
 */
export function aggregateIncrementally<Fields extends JsonObject>(
  store: KindStore<Fields>,
  change: (object: TypedObject<Fields>, by: 1 | -1) => void,
): () => true {
  let remaining = store.peekAll();
  let next = 0;
  /** The key of the last processed object. All objects with smaller keys are processed too. */
  let lastProcessed: ObjectKey | undefined;
  /** Objects that are not processed yet, but that a change notification has already counted. */
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
    // An object that is not processed yet is in the aggregate only if an earlier change notification counted it.
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

/** True if the spec did not change. The generation increases with every change to the spec, but not to the status. */
export function isSameSpec({ metadata: before }: KubeObject, { metadata: after }: KubeObject): boolean {
  return before.uid === after.uid && before.generation === after.generation;
}

function objectKeyOf(object: KubeObject | undefined): ObjectKey {
  return { namespace: object?.metadata.namespace ?? '', name: object?.metadata.name ?? '' };
}

/** Returns a unique text for an object key. Names contain no slash. */
function idOf({ namespace, name }: ObjectKey): string {
  return `${namespace}/${name}`;
}
