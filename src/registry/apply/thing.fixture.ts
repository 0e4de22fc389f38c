import type { JsonObject, JsonValue } from '@flotilla/json';
import type { KubeObject, ManagedFieldsEntry } from '../../api/meta.ts';
import type { Schema } from '../../api/schema/schema.ts';
import { StatusError } from '../../api/status.ts';
import { applyObject } from './apply.ts';
import { trackUpdate } from './track-update.ts';
import type { TrackedKind } from './tracked-fields.ts';

/** A kind with every structure that apply supports, and helpers for the tests that use it. */
const text: Schema = { type: 'string' };

export const thing: TrackedKind = {
  group: 'g.io',
  version: 'v1',
  kind: 'Thing',
  plural: 'things',
  singular: 'thing',
  namespaced: true,
  hasStatus: true,
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

export function object(spec: JsonValue, metadata: JsonObject = {}): KubeObject {
  return { apiVersion: 'g.io/v1', kind: 'Thing', metadata: { name: 'x', namespace: 'n', ...metadata }, spec };
}

/** A test object with a history of writes. Each write is one second after the previous one. */
export class Thing {
  live: KubeObject | undefined;
  #seconds = 0;
  readonly #kind: TrackedKind;

  constructor(kind: TrackedKind = thing) {
    this.#kind = kind;
  }

  apply(manager: string, applied: KubeObject, options: { force?: boolean; subresource?: string } = {}): KubeObject {
    const { force = false, subresource = '' } = options;
    this.live = this.#stored(
      applyObject({ kind: this.#kind, ...this.#old(), applied, manager, force, subresource, now: this.#tick() }),
    );
    return this.live;
  }

  /** Returns the fields for which an apply would be rejected. Does not change the object. */
  conflicts(manager: string, applied: KubeObject): string[] {
    try {
      const now = '2026-01-01T00:00:59Z';
      applyObject({ kind: this.#kind, ...this.#old(), applied, manager, force: false, subresource: '', now });
      return [];
    } catch (error) {
      if (!(error instanceof StatusError) || error.code !== 409) throw error;
      return (error.status.details?.causes ?? []).map(({ field }) => field ?? '');
    }
  }

  update(manager: string, next: KubeObject, subresource = ''): KubeObject {
    this.live = this.#stored(
      trackUpdate({ kind: this.#kind, ...this.#old(), next, manager, subresource, now: this.#tick() }),
    );
    return this.live;
  }

  #old(): { live?: KubeObject } {
    return this.live === undefined ? {} : { live: this.live };
  }

  #tick(): string {
    return `2026-01-01T00:00:${String(this.#seconds++).padStart(2, '0')}Z`;
  }

  #stored(written: KubeObject): KubeObject {
    return { ...written, metadata: { ...written.metadata, uid: 'uid-1' } } as KubeObject;
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

export function statusOf(act: () => unknown): StatusError['status'] {
  try {
    act();
  } catch (error) {
    if (error instanceof StatusError) return error.status;
    throw error;
  }
  throw new Error('nothing was thrown');
}
