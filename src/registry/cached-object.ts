import type { KubeObject, ObjectMeta } from '../api/meta.ts';
import { metadataAsPrinted } from '../api/structs/as-printed.ts';
import { parseTrustedJson } from '../lib/json-parse.ts';
import type { JsonValue } from '../lib/json-value.ts';
import { writeJson } from '../lib/json-write.ts';
import type { Decoded, DecodedObjects } from './decoded-objects.ts';
import type { KindChange } from './kind-store.ts';
import type { Place } from './object-index.ts';
import {
  decodeRecord,
  encodeRecord,
  isInForm,
  parseBareRecord,
  parseRecord,
  type RecordKind,
  withResourceVersion,
} from './record.ts';
import type { ServedForm, StoredRecord } from './resource.ts';
import { objectJson } from './served.ts';
import type { PlaneBirth, StandingObject } from './standing-object.ts';
import { bareMetadataText, type Labels, labelsIn, metadataText, servedParts, versionPlace } from './stored-text.ts';
import type { Served } from './verbs.ts';

/** The state that all cached objects of a kind share. */
export interface CachedKind {
  readonly resource: RecordKind;
  readonly decoded: DecodedObjects;
  /** Present if the kind has built-in objects. */
  readonly birth?: PlaneBirth | undefined;
}

interface Forms {
  readonly record: StoredRecord;
  object?: KubeObject;
  json?: string;
}

/**
 * One version of one object, shared by all readers. It permanently holds only the stored text. The decoded form takes
 * several times as much memory, so it is created on demand, frozen, and kept while the decoded cache has capacity. Two
 * readers may therefore get two equal but distinct objects. A built-in object has no text of its own; the text is
 * created on demand as well.
 */
export class CachedObject implements Place, Served, Decoded {
  readonly namespace: string;
  readonly name: string;
  readonly revision: number;
  used = false;
  readonly #kind: CachedKind;
  readonly #content: string | StandingObject;
  #forms: Forms | undefined;
  #labels: Labels | undefined;
  #versionPlace = 0;

  /** `content` is the stored text. `record` is the decoded text, if it is already known. */
  constructor(
    kind: CachedKind,
    place: Place,
    content: string | StandingObject,
    revision: number,
    record?: StoredRecord,
  ) {
    this.namespace = place.namespace;
    this.name = place.name;
    this.revision = revision;
    this.#kind = kind;
    this.#content = content;
    if (record !== undefined && this.#inForm) this.#keep({ record });
  }

  /** Returns the same object under another definition of its kind. */
  as(kind: CachedKind): CachedObject {
    return new CachedObject(kind, this, this.#content, this.revision);
  }

  /** True if the object is stored in a version that is no longer the storage version. */
  get isOfOldVersion(): boolean {
    const { form } = this.#kind.resource;
    const content = this.#content;
    if (form === undefined || typeof content !== 'string' || this.#inForm) return false;
    return parseRecord(content).object.apiVersion !== form.storedVersion;
  }

  /** True if the object is stored in exactly this form and needs no conversion. */
  isIn(form: ServedForm): boolean {
    return form.mark !== undefined && this.#kind.resource.form === form && this.#inForm && !this.stands;
  }

  /** The length of the stored text in characters: an approximation of its memory use. */
  get size(): number {
    return typeof this.#content === 'string' ? this.#content.length : this.#content.size;
  }

  /** The revision of the object's row; `undefined` for an unchanged built-in object, which has no row. */
  get row(): number | undefined {
    return this.stands ? undefined : this.revision;
  }

  /** The value of the object's row; `undefined` for an unchanged built-in object, which has no row. */
  get rowText(): string | undefined {
    return typeof this.#content === 'string' ? this.#content : undefined;
  }

  get stands(): boolean {
    return typeof this.#content !== 'string';
  }

  get served(): Served {
    return this;
  }

  get record(): StoredRecord {
    return this.#decoded().record;
  }

  /** The metadata. Usually without managedFields if the object is not decoded yet. */
  metadata(): Readonly<ObjectMeta> {
    const content = this.#content;
    if (this.#forms !== undefined || typeof content !== 'string') return this.record.object.metadata;
    return parseTrustedJson(bareMetadataText(content)) as ObjectMeta;
  }

  /** The object as clients see it, with its resourceVersion. */
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
    const object = this.#glanced();
    this.#labels ??= Object.freeze(object.metadata.labels ?? noLabels);
    return object;
  }

  metadataJson(): string {
    if (this.#kind.resource.builtIn === true) {
      return writeJson(metadataAsPrinted(this.object.metadata) as JsonValue, { sorted: false });
    }
    return metadataText(this.#text, this.#placeOfVersion(), this.revision);
  }

  get labels(): Labels | undefined {
    if (this.#forms !== undefined) return this.#forms.record.object.metadata.labels;
    const content = this.#content;
    this.#labels ??= (typeof content === 'string' ? labelsIn(content) : content.labels) ?? noLabels;
    return this.#labels;
  }

  /** True if `labels` is available without scanning the text. */
  get labelsKnown(): boolean {
    return this.#forms !== undefined || this.#labels !== undefined;
  }

  json(): string {
    if (this.#kind.resource.builtIn !== true && this.#inForm) return this.#jsonOfText();
    if (this.#forms === undefined) return objectJson(this.#kind.resource, this.#made());
    this.#forms.json ??= objectJson(this.#kind.resource, this.object);
    return this.#forms.json;
  }

  /** Returns the same content at another revision. */
  at(revision: number): CachedObject {
    return new CachedObject(this.#kind, this, this.#content, revision, this.#forms?.record);
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
    if (this.#forms !== undefined) return this.#forms;
    const content = this.#content;
    return this.#keep({
      record: typeof content === 'string' ? decodeRecord(content, this.#kind.resource) : this.#standing(content),
    });
  }

  /** Returns the served object without caching it. */
  #made(): KubeObject {
    const { resource } = this.#kind;
    const content = this.#content;
    const { object } = typeof content === 'string' ? parseRecord(content, resource) : this.#standing(content);
    return withResourceVersion(resource, object, this.revision);
  }

  /**
   * The same for `withoutManagedFields`. For kinds of our own, managedFields are usually missing and resourceVersion is
   * the last member of metadata.
   */
  #glanced(): KubeObject {
    const { resource } = this.#kind;
    const content = this.#content;
    if (resource.builtIn === true || typeof content !== 'string') return this.#made();
    const { object } = parseBareRecord(content, resource);
    object.metadata.resourceVersion = String(this.revision);
    return object;
  }

  #standing(content: StandingObject): StoredRecord {
    const { birth } = this.#kind;
    if (birth === undefined) throw new Error(`${content.name} stands in a plane that was never born`);
    return content.recordIn(birth);
  }

  get #inForm(): boolean {
    return typeof this.#content !== 'string' || isInForm(this.#kind.resource, this.#content);
  }

  get #text(): string {
    const content = this.#content;
    if (typeof content === 'string') return content;
    return encodeRecord(this.#kind.resource, this.#standing(content));
  }

  #keep(forms: Forms): Forms {
    this.#forms = forms;
    this.#kind.decoded.add(this);
    return forms;
  }
}

const noLabels: Labels = Object.freeze({});

/** A change in the form that watches use. */
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

  /** The memory that this change adds to the one before it, whose object is this change's previous object. */
  get size(): number {
    return (this.after ?? this.before)?.size ?? 0;
  }

  /**
   * The object of a DELETED event: the previous content with the revision of this change (rules WATCH-21, WATCH-23).
   * Created once for all subscribers.
   */
  departed(): Served | undefined {
    this.#departed ??= this.before?.at(this.revision);
    return this.#departed;
  }
}
