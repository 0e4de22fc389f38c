import { type JsonValue, objectAt } from '@flotilla/json';
import { ageColumn, column } from '../columns.ts';
import type { ResourceKind } from '../resource.ts';
import { asSchema, t } from '../schema/schema-builder.ts';

/** The kind ConfigMap. The members of its schema are in the order of the Go struct. */
export const configMapKind: ResourceKind = {
  group: '',
  version: 'v1',
  kind: 'ConfigMap',
  plural: 'configmaps',
  singular: 'configmap',
  shortNames: ['cm'],
  namespaced: true,
  builtIn: true,
  description: 'Configuration data for programs, as text or as binary data.',
  schema: asSchema(
    t.object({
      immutable: t.optional(
        t.boolean({
          description: 'If true, data and binaryData cannot be changed. After it is set to true, it cannot be reset.',
        }),
      ),
      data: t.optional(
        t.map(t.string(), {
          description: "Text values by key. Keys consist of alphanumeric characters, '-', '_' and '.'.",
        }),
      ),
      binaryData: t.optional(
        t.map(t.string({ format: 'byte' }), {
          description: 'Binary values by key, as base64. A key cannot be in both data and binaryData.',
        }),
      ),
    }),
  ),
  columns: [
    column('Data', (object) => keys(object as JsonValue, 'data') + keys(object as JsonValue, 'binaryData'), {
      type: 'integer',
      description: 'The number of keys.',
    }),
    ageColumn,
  ],
};

function keys(object: JsonValue, member: string): number {
  return Object.keys(objectAt(object, member) ?? {}).length;
}
