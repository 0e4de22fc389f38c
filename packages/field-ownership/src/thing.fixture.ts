import {
  cloneJson,
  deepFreeze,
  getMember,
  isJsonObject,
  type JsonObject,
  type JsonValue,
  setMember,
} from '@flotilla/json';
import { applyObject } from './apply.ts';
import { ApplyConflictError } from './apply-errors.ts';
import { fieldsFromText } from './fast/fields-cache.ts';
import { trackUpdate } from './track-update.ts';
import type { TrackedKind } from './tracked-kind.ts';
import type { ManagedFieldsEntry, TrackedMetadata } from './tracked-object.ts';
import type { TrackedSchema } from './typed/tracked-schema.ts';

/** A kind with every structure that apply supports, and helpers for the tests that use it. */
const text: TrackedSchema = { type: 'string' };

export const thing: TrackedKind = {
  group: 'g.io',
  version: 'v1',
  kind: 'Thing',
  hasStatus: true,
  goForm: undefined,
  schema: {
    type: 'object',
    properties: {
      spec: {
        type: 'object',
        properties: {
          a: text,
          b: text,
          size: { type: 'integer', format: 'int64' },
          on: { type: 'boolean' },
          map: { type: 'object', additionalProperties: text },
          whole: { type: 'object', 'x-kubernetes-map-type': 'atomic', properties: { x: text, y: text } },
          inner: { type: 'object', properties: { x: text, y: text } },
          set: { type: 'array', items: text, 'x-kubernetes-list-type': 'set' },
          list: {
            type: 'array',
            'x-kubernetes-list-type': 'map',
            'x-kubernetes-list-map-keys': ['name'],
            items: { type: 'object', properties: { name: text, value: text, more: text } },
          },
          ports: {
            type: 'array',
            'x-kubernetes-list-type': 'map',
            'x-kubernetes-list-map-keys': ['port', 'protocol'],
            items: {
              type: 'object',
              properties: { port: { type: 'integer' }, protocol: { type: 'string', default: 'TCP' }, note: text },
            },
          },
          plainList: { type: 'array', items: text },
          free: { type: 'object', 'x-kubernetes-preserve-unknown-fields': true },
          embedded: {
            type: 'object',
            'x-kubernetes-embedded-resource': true,
            properties: { spec: { type: 'object', properties: { x: text } } },
          },
        },
      },
      status: { type: 'object', properties: { phase: text, note: text } },
    },
  },
};

export type ThingObject = {
  apiVersion: string;
  kind: string;
  metadata: TrackedMetadata & { resourceVersion?: string };
} & { spec?: JsonValue; status?: JsonValue; [field: string]: JsonValue };

export function object(spec: JsonValue, metadata: JsonObject = {}): ThingObject {
  return { apiVersion: 'g.io/v1', kind: 'Thing', metadata: { name: 'x', namespace: 'n', ...metadata }, spec };
}

/** A test object with a history of writes. Each write is one second after the previous one. */
export class Thing {
  live: ThingObject | undefined;
  #seconds = 0;
  readonly #kind: TrackedKind;

  constructor(kind: TrackedKind = thing) {
    this.#kind = kind;
  }

  apply(manager: string, applied: ThingObject, options: { force?: boolean; subresource?: string } = {}): ThingObject {
    const { force = false, subresource = '' } = options;
    this.live = this.#stored(
      applyObject({ kind: this.#kind, ...this.#old(), applied, manager, force, subresource, now: this.#tick() }),
    );
    return this.live;
  }

  /** Returns the fields for which an apply would be rejected. Does not change the object. */
  conflicts(manager: string, applied: ThingObject): string[] {
    try {
      const now = '2026-01-01T00:00:59Z';
      applyObject({ kind: this.#kind, ...this.#old(), applied, manager, force: false, subresource: '', now });
      return [];
    } catch (error) {
      if (!(error instanceof ApplyConflictError)) throw error;
      return error.conflicts.map(({ field }) => field);
    }
  }

  update(manager: string, next: ThingObject, subresource = ''): ThingObject {
    this.live = this.#stored(
      trackUpdate({ kind: this.#kind, ...this.#old(), next, manager, subresource, now: this.#tick() }),
    );
    return this.live;
  }

  #old(): { live?: ThingObject } {
    return this.live === undefined ? {} : { live: this.live };
  }

  #tick(): string {
    return `2026-01-01T00:00:${String(this.#seconds++).padStart(2, '0')}Z`;
  }

  #stored(written: ThingObject): ThingObject {
    return { ...written, metadata: { ...written.metadata, uid: 'uid-1' } } as ThingObject;
  }

  get spec(): JsonValue | undefined {
    return this.live?.spec;
  }

  get entries(): ManagedFieldsEntry[] {
    return this.live?.metadata.managedFields ?? [];
  }

  /** Returns the FieldsV1 of a manager; `undefined` if the manager has no entry. */
  owned(manager: string, operation: 'Apply' | 'Update' = 'Apply', subresource?: string): JsonObject | undefined {
    return this.#entry(manager, operation, subresource)?.fieldsV1;
  }

  time(manager: string, operation: 'Apply' | 'Update' = 'Apply'): string | undefined {
    return this.#entry(manager, operation, undefined)?.time?.slice(-3);
  }

  #entry(manager: string, operation: string, subresource: string | undefined): ManagedFieldsEntry | undefined {
    return this.entries.find(
      (entry) => entry.manager === manager && entry.operation === operation && entry.subresource === subresource,
    );
  }
}

/** Returns the error that a function throws. */
export function errorOf(act: () => unknown): Error {
  try {
    act();
  } catch (error) {
    if (error instanceof Error) return error;
    throw error;
  }
  throw new Error('nothing was thrown');
}

/** Returns the object as it is in a cache of decoded objects: frozen, and with shared FieldsV1. */
export function stored(written: ThingObject): ThingObject {
  const { managedFields, ...metadata } = cloneJson(written.metadata as JsonObject);
  const entries = (managedFields as JsonObject[] | undefined)?.map((entry) => ({
    ...entry,
    fieldsV1: fieldsFromText(JSON.stringify(entry.fieldsV1)),
  }));
  const owned = entries === undefined ? metadata : { ...metadata, managedFields: entries };
  return deepFreeze({ ...written, metadata: owned }) as ThingObject;
}

/** Applies a JSON merge patch. The result shares unchanged parts with the document. */
export function mergePatch(document: JsonObject, patch: JsonObject): JsonObject {
  const merged: JsonObject = {};
  for (const name of new Set([...Object.keys(document), ...Object.keys(patch)])) {
    const value = getMember(document, name);
    const change = getMember(patch, name);
    if (change === null) continue;
    if (isJsonObject(change)) setMember(merged, name, mergePatch(isJsonObject(value) ? value : {}, change));
    else setMember(merged, name, (change === undefined ? value : change) as JsonValue);
  }
  return merged;
}
