import type { KubeObject } from '../api/meta.ts';
import type { KindStore } from '../registry/kind-store.ts';
import { comparePlaces, type Place } from '../registry/object-index.ts';
import { glanceAt, type Served } from '../registry/verbs.ts';

/** Objects looked at before others have their turn: a few milliseconds. */
const objectsPerTurn = 100;

/**
 * Sums up all objects of a kind and keeps the sum true from then on. `change` is called with what comes (1) and what
 * goes (-1), and may look at nothing but metadata and spec. What is there already is gone through in turns of the event
 * loop, so that a server with very many objects need not wait for it; whoever needs the sum calls the function given
 * back, which goes through the rest at once where it has to, and gives true.
 */
export function gatherInTurns(store: KindStore, change: (object: KubeObject, by: 1 | -1) => void): () => true {
  let left = store.peekAll();
  let next = 0;
  /** Up to here everything has been looked at. */
  let passed: Place | undefined;
  /** Of those that come after, the ones that changes have told of meanwhile. */
  const told = new Set<string>();

  const look = (upTo: number): void => {
    for (; next < Math.min(upTo, left.length); next++) {
      const object = glanceAt(left[next] as Served);
      passed = placeOf(object);
      if (!told.delete(keyOf(passed))) change(object, 1);
    }
    if (next < left.length) return;
    left = [];
    told.clear();
    passed = undefined;
  };
  const lookInTurns = (): void => {
    if (left.length === 0) return;
    look(next + objectsPerTurn);
    if (left.length > 0) setImmediate(lookInTurns);
  };

  const isAhead = (place: Place): boolean =>
    left.length > 0 && (passed === undefined || comparePlaces(place, passed) > 0);

  store.listen(({ before, after }) => {
    if (before !== undefined && after !== undefined && isSameSpec(before.object, after.object)) return;
    const place = placeOf((after ?? before)?.object);
    const key = keyOf(place);
    const ahead = isAhead(place);
    // What lies ahead has not been counted, unless a change has told of it.
    if (before !== undefined && (!ahead || told.has(key))) change(before.object, -1);
    if (ahead) told.add(key);
    if (after !== undefined) change(after.object, 1);
  });

  lookInTurns();
  return () => {
    look(Number.POSITIVE_INFINITY);
    return true;
  };
}

/** The generation goes up with every change of spec; status is written far more often. */
export function isSameSpec({ metadata: before }: KubeObject, { metadata: after }: KubeObject): boolean {
  return before.uid === after.uid && before.generation === after.generation;
}

function placeOf(object: KubeObject | undefined): Place {
  return { namespace: object?.metadata.namespace ?? '', name: object?.metadata.name ?? '' };
}

/** A name has no slash. */
function keyOf({ namespace, name }: Place): string {
  return `${namespace}/${name}`;
}
