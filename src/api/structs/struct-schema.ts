import { quantityFormat } from '@flotilla/kubernetes-formats';
import type { Schema } from '../schema/schema.ts';
import type { GoScalarType } from './go-struct.ts';
import { isScalarType, type StructTable, type TableField } from './struct-table.ts';

const scalarSchemas: Readonly<Record<GoScalarType, Schema>> = {
  string: { type: 'string' },
  int32: { type: 'integer', format: 'int32' },
  int64: { type: 'integer', format: 'int64' },
  bool: { type: 'boolean' },
  double: { type: 'number', format: 'double' },
  time: { type: 'string', format: 'date-time' },
  microTime: { type: 'string', format: 'date-time' },
  bytes: { type: 'string', format: 'byte' },
  quantity: { type: 'string', format: quantityFormat },
  json: { 'x-kubernetes-preserve-unknown-fields': true },
  fieldsV1: { type: 'object', 'x-kubernetes-preserve-unknown-fields': true },
  strings: { type: 'array', items: { type: 'string' } },
  // Server-side apply treats the whole value as a single field.
  rawExtension: { 'x-kubernetes-preserve-unknown-fields': true, 'x-kubernetes-map-type': 'atomic' },
  intOrString: { 'x-kubernetes-int-or-string': true },
};

/** Creates the schemas of generated structs. All kinds that contain a struct share its schema. */
export class StructSchemas {
  readonly #table: StructTable;
  readonly #schemas = new Map<string, Schema>();

  constructor(table: StructTable) {
    this.#table = table;
  }

  /** Returns the schema of a kind: the schema of its struct without the members that every object has. */
  kindSchema(name: string): Schema {
    const { properties = {}, ...schema } = this.schemaOf(name);
    const { apiVersion: _version, kind: _kind, metadata: _metadata, ...members } = properties;
    return { ...schema, properties: members };
  }

  schemaOf(name: string): Schema {
    const known = this.#schemas.get(name);
    if (known !== undefined) return known;
    const struct = this.#table.fieldsOf(name);
    if (struct === undefined) throw new TypeError(`the struct table has no ${name}`);
    const properties: Record<string, Schema> = {};
    const schema: Schema = {
      type: 'object',
      properties,
      ...(struct.isAtomic ? { 'x-kubernetes-map-type': 'atomic' as const } : {}),
    };
    // Register the schema before its members are created, because a struct may contain itself.
    this.#schemas.set(name, schema);
    for (const field of struct.fields) {
      if (field.name === '') Object.assign(properties, this.schemaOf(this.#table.resolve(field.type, name)).properties);
      else properties[field.name] = this.#memberSchema(field, name);
    }
    return schema;
  }

  #memberSchema(field: TableField, parent: string): Schema {
    const value = this.#valueSchema(field, parent);
    const mapType = field.mapType === undefined ? {} : { 'x-kubernetes-map-type': field.mapType };
    const rules: Schema = {
      ...(field.patchStrategy === undefined ? {} : { 'x-kubernetes-patch-strategy': field.patchStrategy }),
      ...(field.patchMergeKey === undefined ? {} : { 'x-kubernetes-patch-merge-key': field.patchMergeKey }),
      ...(field.default === undefined ? {} : { default: field.default }),
    };
    if (field.shape === 'list') {
      return {
        type: 'array',
        items: value,
        ...(field.listType === undefined ? {} : { 'x-kubernetes-list-type': field.listType }),
        ...(field.mapKeys.length === 0 ? {} : { 'x-kubernetes-list-map-keys': field.mapKeys }),
        ...rules,
      };
    }
    if (field.shape === 'map') return { type: 'object', additionalProperties: value, ...mapType, ...rules };
    return Object.keys({ ...mapType, ...rules }).length === 0 ? value : { ...value, ...mapType, ...rules };
  }

  #valueSchema({ type }: TableField, parent: string): Schema {
    return isScalarType(type) ? scalarSchemas[type] : this.schemaOf(this.#table.resolve(type, parent));
  }
}
