import { objectAt } from '../../lib/json-path.ts';
import type { JsonValue } from '../../lib/json-value.ts';
import { ageColumn, column } from '../columns.ts';
import type { ResourceKind } from '../resource.ts';
import { asSchema, t } from '../schema/build.ts';

/** Members are in the order of the Go struct. */
export const configMapKind: ResourceKind = {
  group: '',
  version: 'v1',
  kind: 'ConfigMap',
  plural: 'configmaps',
  singular: 'configmap',
  shortNames: ['cm'],
  namespaced: true,
  builtIn: true,
  description: 'Configuration that programs read: texts, and bytes that are none.',
  schema: asSchema(
    t.object({
      immutable: t.optional(
        t.boolean({ description: 'Once true, nothing but metadata can be changed, and it stays true.' }),
      ),
      data: t.optional(
        t.map(t.string(), { description: "Texts by key. Keys are alphanumeric characters, '-', '_' and '.'." }),
      ),
      binaryData: t.optional(
        t.map(t.string({ format: 'byte' }), { description: 'Bytes by key, as base64. No key stands in both.' }),
      ),
    }),
  ),
  columns: [
    column('Data', (object) => keys(object as JsonValue, 'data') + keys(object as JsonValue, 'binaryData'), {
      type: 'integer',
      description: 'How many keys it has.',
    }),
    ageColumn,
  ],
};

function keys(object: JsonValue, member: string): number {
  return Object.keys(objectAt(object, member) ?? {}).length;
}
