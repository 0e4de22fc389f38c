import type { KubeObject } from '../api/meta.ts';
import type { ResourceKind } from '../api/resource.ts';
import { writeJson } from '../lib/json-write.ts';
import type { Decoded, DecodedObjects } from './decoded-objects.ts';
import type { KindChange } from './kind-store.ts';
import type { Place } from './object-index.ts';
import { decodeRecord, parseRecord, withResourceVersion } from './record.ts';
import type { StoredRecord } from './resource.ts';
import { objectJson } from './served.ts';
import { type Labels, labelsIn, metadataText, servedParts, versionPlace, withoutManagedFields } from './stored-text.ts';
import type { Served } from './verbs.ts';

/** What the objects of a kind share. */
export interface CachedKind {
  readonly resource: Pick<ResourceKind, 'builtIn'>;
  readonly decoded: DecodedObjects;
}

interface Forms {
  readonly record: StoredRecord;
  object?: KubeObject;
  json?: string;
}

/**
 * One version of one object, shared by everyone. It holds the stored text and nothing else for good: what is decoded
 * of it takes several times as much, so it is made when somebody asks, frozen, and kept as long as there is room.
 * Two who ask may therefore get two objects that are equal and not the same.
 */
export class CachedObject implements Place, Served, Decoded {
  readonly namespace: string;
  readonly name: string;
  readonly revision: number;
  used = false;
  readonly #kind: CachedKind;
  readonly #text: string;
  #forms: Forms | undefined;
  #labels: Labels | undefined;
  #versionPlace = 0;

  /** `record`: what the text says, where that is known already. */
  constructor(kind: CachedKind, place: Place, text: string, revision: number, record?: StoredRecord) {
    this.namespace = place.namespace;
    this.name = place.name;
    this.revision = revision;
    this.#kind = kind;
    this.#text = text;
    if (record !== undefined) this.#keep({ record });
  }

  /** Of its stored text, in characters: near enough to what it takes in memory. */
  get size(): number {
    return this.#text.length;
  }

  get served(): Served {
    return this;
  }

  get record(): StoredRecord {
    return this.#decoded().record;
  }

  /** As it is served. */
  get object(): KubeObject {
    const forms = this.#decoded();
    if (forms.object === undefined) {
      const object = withResourceVersion(this.#kind.resource, forms.record.object, this.revision);
      Object.freeze(object.metadata);
      forms.object = Object.freeze(object);
    }
    return forms.object;
  }

  glance(): KubeObject {
    if (this.#forms !== undefined) return this.object;
    const { resource } = this.#kind;
    const text = resource.builtIn === true ? this.#text : withoutManagedFields(this.#text);
    const { object } = parseRecord(text);
    this.#labels ??= Object.freeze(object.metadata.labels ?? noLabels);
    return withResourceVersion(resource, object, this.revision);
  }

  metadataJson(): string {
    if (this.#kind.resource.builtIn === true) return writeJson(this.object.metadata, { sorted: false });
    return metadataText(this.#text, this.#placeOfVersion(), this.revision);
  }

  get labels(): Labels | undefined {
    if (this.#forms !== undefined) return this.#forms.record.object.metadata.labels;
    this.#labels ??= labelsIn(this.#text) ?? noLabels;
    return this.#labels;
  }

  /** Whether `labels` are there without looking through the text. */
  get labelsKnown(): boolean {
    return this.#forms !== undefined || this.#labels !== undefined;
  }

  json(): string {
    if (this.#kind.resource.builtIn !== true) return this.#jsonOfText();
    if (this.#forms === undefined) return objectJson(this.#kind.resource, this.glance());
    this.#forms.json ??= objectJson(this.#kind.resource, this.object);
    return this.#forms.json;
  }

  /** The same content as of another revision. */
  at(revision: number): CachedObject {
    return new CachedObject(this.#kind, this, this.#text, revision, this.#forms?.record);
  }

  forget(): void {
    this.#forms = undefined;
  }

  #jsonOfText(): string {
    const [before, version, behind] = servedParts(this.#text, this.#placeOfVersion(), this.revision);
    return before + version + behind;
  }

  #placeOfVersion(): number {
    if (this.#versionPlace === 0) this.#versionPlace = versionPlace(this.#text);
    return this.#versionPlace;
  }

  #decoded(): Forms {
    this.used = true;
    return this.#forms ?? this.#keep({ record: decodeRecord(this.#text) });
  }

  #keep(forms: Forms): Forms {
    this.#forms = forms;
    this.#kind.decoded.add(this);
    return forms;
  }
}

const noLabels: Labels = Object.freeze({});

/** A change as watchers use it. */
export class CachedChange implements KindChange, Place {
  readonly revision: number;
  readonly namespace: string;
  readonly name: string;
  readonly before: CachedObject | undefined;
  readonly after: CachedObject | undefined;
  #departed: Served | undefined;

  constructor(place: Place, revision: number, before: CachedObject | undefined, after: CachedObject | undefined) {
    this.namespace = place.namespace;
    this.name = place.name;
    this.revision = revision;
    this.before = before;
    this.after = after;
  }

  /** What keeping it costs beyond the change before it, whose object is this one's previous. */
  get size(): number {
    return (this.after ?? this.before)?.size ?? 0;
  }

  /**
   * What somebody is told to whom the object is no longer there: its previous content with the revision of this
   * change (rules WATCH-21, WATCH-23). Made once for all watchers.
   */
  departed(): Served | undefined {
    this.#departed ??= this.before?.at(this.revision);
    return this.#departed;
  }
}
