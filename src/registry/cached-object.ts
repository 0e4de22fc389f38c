import type { ResourceKind } from '../api/resource.ts';
import type { KindChange } from './kind-store.ts';
import type { Place } from './object-index.ts';
import { decodeRecord, withResourceVersion } from './record.ts';
import type { StoredRecord } from './resource.ts';
import { serve } from './served.ts';
import type { Served } from './verbs.ts';

/** One version of one object, decoded once, frozen, shared. */
export interface CachedObject extends Place {
  readonly revision: number;
  readonly record: StoredRecord;
  readonly served: Served;
  /** Of its stored text, in characters: near enough to what it takes in memory. */
  readonly size: number;
}

export function cacheObject(
  kind: Pick<ResourceKind, 'builtIn'>,
  place: Place,
  text: string,
  revision: number,
): CachedObject {
  const record = decodeRecord(text);
  return { ...place, revision, record, served: serveAt(kind, record, revision), size: text.length };
}

function serveAt(kind: Pick<ResourceKind, 'builtIn'>, record: StoredRecord, revision: number): Served {
  const object = withResourceVersion(kind, record.object, revision);
  Object.freeze(object.metadata);
  return serve(kind, Object.freeze(object));
}

/** A change as watchers use it. */
export class CachedChange implements KindChange, Place {
  readonly revision: number;
  readonly namespace: string;
  readonly name: string;
  readonly #kind: Pick<ResourceKind, 'builtIn'>;
  readonly #before: CachedObject | undefined;
  readonly #after: CachedObject | undefined;
  #departed: Served | undefined;

  constructor(
    kind: Pick<ResourceKind, 'builtIn'>,
    place: Place,
    revision: number,
    before: CachedObject | undefined,
    after: CachedObject | undefined,
  ) {
    this.#kind = kind;
    this.namespace = place.namespace;
    this.name = place.name;
    this.revision = revision;
    this.#before = before;
    this.#after = after;
  }

  get before(): Served | undefined {
    return this.#before?.served;
  }

  get after(): Served | undefined {
    return this.#after?.served;
  }

  /** What keeping it costs beyond the change before it, whose object is this one's previous. */
  get size(): number {
    return (this.#after ?? this.#before)?.size ?? 0;
  }

  /**
   * What somebody is told to whom the object is no longer there: its previous content with the revision of this
   * change (rules WATCH-21, WATCH-23). Made once for all watchers.
   */
  departed(): Served | undefined {
    if (this.#departed === undefined && this.#before !== undefined) {
      this.#departed = serveAt(this.#kind, this.#before.record, this.revision);
    }
    return this.#departed;
  }
}
