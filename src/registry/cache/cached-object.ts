import { fastPathsEnabled } from '@flotilla/fast-paths';
import { type JsonObject, type JsonValue, parseTrustedJson, writeJson } from '@flotilla/json';
import type { KubeObject, ObjectMeta } from '../../api/meta.ts';
import { toPrintedMetadata } from '../../api/structs/printed-form.ts';
import {
  type Labels,
  metadataJsonWithoutManagedFields,
  readHidden,
  readLabels,
  resourceVersionOffset,
  servedJsonParts,
  servedMetadataJson,
} from '../fast/stored-text.ts';
import type { KindChange } from '../kind-store.ts';
import type { ServedForm, StoredRecord } from '../resource.ts';
import {
  decodeRecord,
  encodeRecord,
  isInServedForm,
  parseRecord,
  parseRecordWithoutManagedFields,
  type RecordKind,
  withResourceVersion,
} from '../rows/record.ts';
import type { ServedObject } from '../verbs.ts';
import type { BuiltinObject, PlaneCreation } from './builtin-object.ts';
import type { DecodedEntry, DecodedObjects } from './decoded-objects.ts';
import type { ObjectKey } from './object-index.ts';
import { objectJson } from './served.ts';

/** The state that all cached objects of a kind share. */
export interface CachedKind {
  readonly resource: RecordKind;
  readonly decoded: DecodedObjects;
  /** Describes the creation of the plane. Present if the kind has built-in objects, whose metadata depends on it. */
  readonly planeCreation?: PlaneCreation | undefined;
}

interface DecodedForms {
  readonly record: StoredRecord;
  object?: KubeObject;
  json?: string;
}

/**
 * One version of one object, shared by all readers. It permanently keeps only the stored text. A decoded object needs
 * several times as much memory, so it is created on demand, frozen, and evicted if `DecodedObjects` exceeds its
 * capacity. Two readers may therefore get two equal but distinct objects. A built-in object has no stored text; its
 * text is created on demand.
 */
export class CachedObject implements ObjectKey, ServedObject, DecodedEntry {
  readonly namespace: string;
  readonly name: string;
  readonly revision: number;
  used = false;
  readonly #kind: CachedKind;
  readonly #content: string | BuiltinObject;
  #decodedForms: DecodedForms | undefined;
  #labels: Labels | undefined;
  #versionOffset = 0;

  /** `content` is the stored text, or the built-in object if there is no row. */
  constructor(kind: CachedKind, key: ObjectKey, content: string | BuiltinObject, revision: number) {
    this.namespace = key.namespace;
    this.name = key.name;
    this.revision = revision;
    this.#kind = kind;
    this.#content = content;
  }

  /** Caches `record`, the decoded form of the stored text, if the caller already has it. Returns this object. */
  withRecord(record: StoredRecord | undefined): this {
    if (record !== undefined && this.#isInServedForm) this.#cache({ record });
    return this;
  }

  /** Returns an object with the same text and revision that is decoded with another definition of its kind. */
  withKind(kind: CachedKind): CachedObject {
    return new CachedObject(kind, this, this.#content, this.revision);
  }

  /**
   * True if the object's row must be rewritten, because it has an API version that is no longer the storage version of
   * the kind.
   */
  get isStoredInOldVersion(): boolean {
    const { form } = this.#kind.resource;
    const content = this.#content;
    if (form === undefined || typeof content !== 'string' || this.#isInServedForm) return false;
    return parseRecord(content).object.apiVersion !== form.storedVersion;
  }

  /** Returns the object in the form in which it is stored; `undefined` for an unchanged built-in object. */
  storedObject(): KubeObject | undefined {
    return typeof this.#content === 'string' ? parseRecord(this.#content).object : undefined;
  }

  /** True if the object is stored in the form in which it must be served, so no conversion is needed. */
  isStoredIn(form: ServedForm): boolean {
    return (
      form.storageFormId !== undefined &&
      this.#kind.resource.form === form &&
      this.#isInServedForm &&
      !this.isUnchangedBuiltin
    );
  }

  /** The length of the stored text in characters. It approximates the memory that the text uses. */
  get size(): number {
    return typeof this.#content === 'string' ? this.#content.length : this.#content.size;
  }

  /** The revision of the object's row; `undefined` for an unchanged built-in object, which has no row. */
  get rowRevision(): number | undefined {
    return this.isUnchangedBuiltin ? undefined : this.revision;
  }

  get isUnchangedBuiltin(): boolean {
    return typeof this.#content !== 'string';
  }

  get served(): ServedObject {
    return this;
  }

  get record(): StoredRecord {
    return this.#decoded().record;
  }

  /**
   * The part of the stored record that no response contains; `undefined` if there is none. Reading it does not cache
   * the decoded record.
   */
  get hidden(): JsonObject | undefined {
    const content = this.#content;
    if (this.#decodedForms !== undefined || typeof content !== 'string') return this.record.hidden;
    return this.#usesText ? readHidden(content) : parseRecord(content, this.#kind.resource).hidden;
  }

  /**
   * Returns the metadata without caching it. The result usually has no managedFields, because parsing them is
   * expensive. Only an object that is already decoded returns them.
   */
  metadata(): Readonly<ObjectMeta> {
    const content = this.#content;
    if (this.#decodedForms !== undefined || typeof content !== 'string') return this.record.object.metadata;
    if (this.#usesText) return parseTrustedJson(metadataJsonWithoutManagedFields(content)) as ObjectMeta;
    return parseRecordWithoutManagedFields(content, this.#kind.resource).object.metadata;
  }

  /** The object as clients see it, including its resourceVersion. */
  get object(): KubeObject {
    const decoded = this.#decoded();
    if (decoded.object === undefined) {
      const object = withResourceVersion(this.#kind.resource, decoded.record.object, this.revision);
      Object.freeze(object.metadata);
      decoded.object = Object.freeze(object);
    }
    return decoded.object;
  }

  peekWithoutManagedFields(): KubeObject {
    if (this.#decodedForms !== undefined) return this.object;
    const object = this.#decodeWithoutManagedFields();
    this.#labels ??= Object.freeze(object.metadata.labels ?? noLabels);
    return object;
  }

  /**
   * The metadata for responses that contain only metadata. As in Kubernetes, it omits annotations that a conversion
   * adds to an object of a built-in kind.
   */
  partialMetadata(): ObjectMeta | undefined {
    const { builtIn, form } = this.#kind.resource;
    const stored = builtIn === true && form !== undefined ? this.storedObject() : undefined;
    return stored && withResourceVersion(this.#kind.resource, stored, this.revision).metadata;
  }

  metadataJson(): string {
    if (this.#kind.resource.builtIn === true) {
      const metadata = this.partialMetadata() ?? this.object.metadata;
      return writeJson(toPrintedMetadata(metadata) as JsonValue, { sorted: false });
    }
    if (this.#usesText) return servedMetadataJson(this.#text, this.#findVersionOffset(), this.revision);
    return writeJson(this.#decodeUncached().metadata as JsonValue);
  }

  get labels(): Labels | undefined {
    if (this.#decodedForms !== undefined) return this.#decodedForms.record.object.metadata.labels;
    const content = this.#content;
    this.#labels ??= (typeof content === 'string' ? this.#labelsOf(content) : content.labels) ?? noLabels;
    return this.#labels;
  }

  /** True if reading `labels` is cheap, because they were already extracted from the stored text. */
  get labelsKnown(): boolean {
    return this.#decodedForms !== undefined || this.#labels !== undefined;
  }

  json(): string {
    if (this.#usesText && this.#kind.resource.builtIn !== true && this.#isInServedForm) return this.#jsonOfText();
    if (this.#decodedForms === undefined) return objectJson(this.#kind.resource, this.#decodeUncached());
    this.#decodedForms.json ??= objectJson(this.#kind.resource, this.object);
    return this.#decodedForms.json;
  }

  /** Returns an object with the same content and another revision. */
  withRevision(revision: number): CachedObject {
    return new CachedObject(this.#kind, this, this.#content, revision).withRecord(this.#decodedForms?.record);
  }

  release(): void {
    this.#decodedForms = undefined;
  }

  /**
   * True if responses are assembled from pieces of the stored text (fast path). Otherwise the record is decoded and
   * serialized again (plain path).
   */
  get #usesText(): boolean {
    return fastPathsEnabled();
  }

  #labelsOf(text: string): Labels | undefined {
    if (this.#usesText) return readLabels(text);
    const { labels } = parseRecord(text, this.#kind.resource).object.metadata;
    return labels && Object.freeze(labels);
  }

  #jsonOfText(): string {
    const [before, version, after] = servedJsonParts(this.#text, this.#findVersionOffset(), this.revision);
    return before + version + after;
  }

  #findVersionOffset(): number {
    if (this.#versionOffset === 0) this.#versionOffset = resourceVersionOffset(this.#text);
    return this.#versionOffset;
  }

  #decoded(): DecodedForms {
    this.used = true;
    if (this.#decodedForms !== undefined) return this.#decodedForms;
    const content = this.#content;
    return this.#cache({
      record: typeof content === 'string' ? decodeRecord(content, this.#kind.resource) : this.#builtinRecord(content),
    });
  }

  /** Returns the object as clients see it, without caching the decoded object. */
  #decodeUncached(): KubeObject {
    const { resource } = this.#kind;
    const content = this.#content;
    const { object } = typeof content === 'string' ? parseRecord(content, resource) : this.#builtinRecord(content);
    return withResourceVersion(resource, object, this.revision);
  }

  /**
   * Decodes the object for `peekWithoutManagedFields`, without caching the result. If the kind is a custom resource or
   * a management kind, the result usually has no managedFields, and resourceVersion is the last member of its metadata.
   */
  #decodeWithoutManagedFields(): KubeObject {
    const { resource } = this.#kind;
    const content = this.#content;
    if (resource.builtIn === true || typeof content !== 'string') return this.#decodeUncached();
    const { object } = parseRecordWithoutManagedFields(content, resource);
    object.metadata.resourceVersion = String(this.revision);
    return object;
  }

  #builtinRecord(content: BuiltinObject): StoredRecord {
    const { planeCreation } = this.#kind;
    if (planeCreation === undefined)
      throw new Error(`built-in object "${content.name}" needs the creation data of its plane`);
    return content.recordIn(planeCreation);
  }

  get #isInServedForm(): boolean {
    return typeof this.#content !== 'string' || isInServedForm(this.#kind.resource, this.#content);
  }

  get #text(): string {
    const content = this.#content;
    if (typeof content === 'string') return content;
    return encodeRecord(this.#kind.resource, this.#builtinRecord(content));
  }

  #cache(decoded: DecodedForms): DecodedForms {
    this.#decodedForms = decoded;
    this.#kind.decoded.add(this);
    return decoded;
  }
}

const noLabels: Labels = Object.freeze({});

/** A change of one object, as watches receive it: the object before and after the change. */
export class CachedChange implements KindChange, ObjectKey {
  readonly revision: number;
  readonly namespace: string;
  readonly name: string;
  readonly before: CachedObject | undefined;
  readonly after: CachedObject | undefined;
  #deletedObject: ServedObject | undefined;

  constructor(key: ObjectKey, revision: number, before: CachedObject | undefined, after: CachedObject | undefined) {
    this.namespace = key.namespace;
    this.name = key.name;
    this.revision = revision;
    this.before = before;
    this.after = after;
  }

  /**
   * An estimate of the memory that this change uses, in characters. It counts only one of the two objects, because the
   * preceding change also contains the object before this change.
   */
  get size(): number {
    return (this.after ?? this.before)?.size ?? 0;
  }

  /**
   * Returns the object of a DELETED event: the last content of the object, with the revision of the deletion as
   * resourceVersion (rules WATCH-21, WATCH-23). All subscribers share one instance.
   */
  deletedObject(): ServedObject | undefined {
    this.#deletedObject ??= this.before?.withRevision(this.revision);
    return this.#deletedObject;
  }
}
