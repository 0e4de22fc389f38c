import {
  BOOL,
  BYTES,
  type CelType,
  type DeclaredType,
  DOUBLE,
  DURATION,
  DYN,
  INT,
  listOf,
  mapOf,
  STRING,
  TIMESTAMP,
} from '@flotilla/cel';
import type { Schema } from '../../api/schema/schema.ts';
import { escapeName, isReserved } from './escape-name.ts';

/** The maximum size of a request in bytes. It limits the size of values for which the schema specifies no limit. */
const LARGEST_REQUEST = 3 * 1024 * 1024;
const TEXT: DeclaredType = { type: STRING, maxElements: LARGEST_REQUEST - 2, minSize: 2 };
const KEY: DeclaredType = { type: STRING, maxElements: 0, minSize: 2 };

/**
 * Returns the type that a schema declares; `undefined` if expressions cannot access its values. If `root` is true, the
 * schema describes a whole resource, which has `apiVersion`, `kind` and a name even if the schema does not declare
 * them.
 */
export function declaredType(schema: Schema, root: boolean, name = 'selfType'): DeclaredType | undefined {
  if (schema['x-kubernetes-int-or-string'] === true) {
    const maxElements = schema.maxLength === undefined ? LARGEST_REQUEST - 2 : bounded(schema.maxLength) * 4;
    return { type: DYN, maxElements, minSize: 1 };
  }
  switch (schema.type) {
    case 'array':
      return listType(schema, name);
    case 'object':
      return typeof schema.additionalProperties === 'object' && !root
        ? mapType(schema, schema.additionalProperties, name)
        : objectType(root ? withMetadata(schema) : schema, name);
    case 'string':
      return stringType(schema);
    case 'boolean':
      return { type: BOOL, maxElements: 0, minSize: 4 };
    case 'number':
      return { type: DOUBLE, maxElements: 0, minSize: 1 };
    case 'integer':
      return { type: INT, maxElements: 0, minSize: 1 };
    default:
      return undefined;
  }
}

function bounded(limit: number): number {
  return Math.max(0, limit);
}

function listType(schema: Schema, name: string): DeclaredType | undefined {
  if (schema.items === undefined) return undefined;
  const element = declaredType(schema.items, isEmbedded(schema.items), `${name}.@idx`);
  if (element === undefined) return undefined;
  const most = Math.floor((LARGEST_REQUEST - 2) / (element.minSize + 1));
  const maxElements = schema.maxItems === undefined ? most : bounded(schema.maxItems);
  return { type: listOf(element.type), maxElements, minSize: 2, element };
}

function mapType(schema: Schema, values: Schema, name: string): DeclaredType | undefined {
  const element = declaredType(values, isEmbedded(values), `${name}.@elem`);
  if (element === undefined) return undefined;
  const most = Math.floor((LARGEST_REQUEST - 2) / (element.minSize + 6));
  const maxElements = schema.maxProperties === undefined ? most : bounded(schema.maxProperties);
  return { type: mapOf(STRING, element.type), maxElements, minSize: 2, element, key: KEY };
}

function objectType(schema: Schema, name: string): DeclaredType {
  const fields = new Map<string, DeclaredType>();
  const types = new Map<string, CelType>();
  let minSize = 2;
  for (const [member, of] of Object.entries(schema.properties ?? {})) {
    const field = declaredType(of, isEmbedded(of), `${name}.${member}`);
    if (field === undefined) continue;
    const escaped = escapeName(member);
    if (escaped !== undefined) {
      fields.set(escaped, field);
      types.set(escaped, field.type);
      if (isReserved(member)) types.set(member, field.type);
    }
    if (schema.required?.includes(member) === true && of.default === undefined) {
      minSize += Buffer.byteLength(member) + field.minSize + 4;
    }
  }
  return { type: { kind: 'object', name, fields: types }, maxElements: 0, minSize, fields };
}

function stringType(schema: Schema): DeclaredType {
  const limit = schema.maxLength;
  switch (schema.format) {
    case 'byte':
      return { type: BYTES, maxElements: limit === undefined ? LARGEST_REQUEST - 2 : bounded(limit), minSize: 2 };
    case 'duration':
      return { type: DURATION, maxElements: 32, minSize: 3 };
    case 'date':
      return { type: TIMESTAMP, maxElements: 12, minSize: 12 };
    case 'date-time':
      return { type: TIMESTAMP, maxElements: 32, minSize: 21 };
  }
  if (limit !== undefined) return { ...TEXT, maxElements: bounded(limit) * 4 };
  if (schema.enum === undefined || schema.enum.length === 0) return TEXT;
  const lengths = schema.enum.map((value) => (typeof value === 'string' ? Buffer.byteLength(value) : 0));
  return { ...TEXT, maxElements: Math.max(...lengths) };
}

export function isEmbedded(schema: Schema): boolean {
  return schema['x-kubernetes-embedded-resource'] === true;
}

const TEXT_SCHEMA: Schema = { type: 'string' };
const OBJECT_NAME: Schema = { type: 'object', properties: { name: TEXT_SCHEMA, generateName: TEXT_SCHEMA } };

/** Returns a resource's schema as validation rules see it: `metadata` contains only `name` and `generateName`. */
export function withMetadata(schema: Schema): Schema {
  const { kind, apiVersion, metadata } = schema.properties ?? {};
  const named = metadata?.properties?.name?.type === 'string' && metadata.properties.generateName?.type === 'string';
  if (kind?.type === 'string' && apiVersion?.type === 'string' && metadata?.type === 'object' && named) return schema;
  const properties = { ...schema.properties, kind: TEXT_SCHEMA, apiVersion: TEXT_SCHEMA, metadata: OBJECT_NAME };
  return { ...schema, properties };
}
