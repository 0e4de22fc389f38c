import type { JsonObject, JsonValue } from '@flotilla/json';
import type { Schema } from '../../api/schema/schema.ts';
import {
  type GoField,
  type GoFieldType,
  type GoScalarType,
  type GoStruct,
  isStruct,
} from '../../api/structs/go-struct.ts';
import { jsonSchemaProps } from '../../api/structs/json-schema-struct.ts';
import { metaComponentName, schemaReference } from './component-names.ts';

const metaPackage = metaComponentName('ObjectMeta').replace(/\.ObjectMeta$/, '');
const quantity = 'io.k8s.apimachinery.pkg.api.resource.Quantity';
const microTime = `${metaPackage}.MicroTime`;
const intOrString = 'io.k8s.apimachinery.pkg.util.intstr.IntOrString';
const rawExtension = 'io.k8s.apimachinery.pkg.runtime.RawExtension';
const schemaPackage = 'io.k8s.apiextensions-apiserver.pkg.apis.apiextensions.v1';
const json = `${schemaPackage}.JSON`;
const either = {
  structs: `${schemaPackage}.JSONSchemaPropsOrArray`,
  bool: `${schemaPackage}.JSONSchemaPropsOrBool`,
  strings: `${schemaPackage}.JSONSchemaPropsOrStringArray`,
} as const;

/** OpenAPI components of Go types whose JSON can be something other than an object. */
const nonObjectComponents: Readonly<Record<string, JsonObject>> = {
  [quantity]: {
    description: 'A quantity: a number with an optional suffix such as m, k or Gi.',
    oneOf: [{ type: 'string' }, { type: 'number' }],
  },
  [microTime]: { type: 'string', format: 'date-time', description: 'An RFC 3339 timestamp with microseconds.' },
  [intOrString]: {
    description: 'An integer or a text.',
    format: 'int-or-string',
    oneOf: [{ type: 'integer' }, { type: 'string' }],
  },
  [rawExtension]: { type: 'object', description: 'An object of any kind.' },
  [json]: { description: 'Any JSON value.' },
  [either.structs]: { description: 'A schema or a list of schemas.' },
  [either.bool]: { description: 'A schema, true or false.' },
  [either.strings]: { description: 'A schema or a list of property names.' },
};

/**
 * Returns the Go structs of a built-in kind as OpenAPI components, under Kubernetes' names (rule OAPI-07). The structs
 * determine types and required fields. The schema contributes everything else, such as descriptions and list types.
 * ObjectMeta and ListMeta are omitted, because every document contains them.
 */
export function typedComponents(struct: GoStruct, schema: Schema): JsonObject {
  const components: JsonObject = {};
  add(components, struct, schema);
  return components;
}

/** Names of components that every document contains anyway. */
const sharedComponents: ReadonlySet<string> = new Set(
  ['ObjectMeta', 'ListMeta'].map((name) => `${metaPackage}.${name}`),
);

const atomic: Schema = { 'x-kubernetes-list-type': 'atomic' };

/** The schema of JSONSchemaProps, the type of a schema in a CustomResourceDefinition. */
const schemaOfSchemas: Schema = {
  description: 'An OpenAPI v3 schema.',
  properties: {
    allOf: atomic,
    anyOf: atomic,
    enum: atomic,
    oneOf: atomic,
    required: atomic,
    'x-kubernetes-list-map-keys': atomic,
    'x-kubernetes-validations': {
      'x-kubernetes-list-type': 'map',
      'x-kubernetes-list-map-keys': ['rule'],
      'x-kubernetes-patch-strategy': 'merge',
      'x-kubernetes-patch-merge-key': 'rule',
    },
  },
};

function add(components: JsonObject, struct: GoStruct, given: Schema): void {
  const schema = struct === jsonSchemaProps ? schemaOfSchemas : given;
  if (Object.hasOwn(components, struct.name) || sharedComponents.has(struct.name)) return;
  const component: JsonObject = { type: 'object' };
  components[struct.name] = component;
  if (schema.description !== undefined) component.description = schema.description;
  const { properties, required } = describe(components, struct, schema);
  if (required.length > 0) component.required = required;
  if (Object.keys(properties).length > 0) component.properties = properties;
  Object.assign(component, mapType(schema));
}

function mapType({ 'x-kubernetes-map-type': type }: Schema): JsonObject {
  return type === undefined ? {} : { 'x-kubernetes-map-type': type };
}

/** The OpenAPI properties of a Go struct, and the names of the required properties. */
interface DescribedFields {
  readonly properties: JsonObject;
  readonly required: string[];
}

/** Adds the properties of a struct, including those of embedded structs, to `fields`, and returns `fields`. */
function describe(
  components: JsonObject,
  struct: GoStruct,
  schema: Schema,
  fields: DescribedFields = { properties: {}, required: [] },
): DescribedFields {
  for (const field of struct.fields) {
    if (field.name === '') {
      if (isStruct(field.type)) describe(components, field.type, schema, fields);
      continue;
    }
    if (field.required) fields.required.push(field.name);
    fields.properties[field.name] = member(components, field, schema.properties?.[field.name] ?? {});
  }
  return fields;
}

function member(components: JsonObject, field: GoField, schema: Schema): JsonObject {
  const described: JsonObject = schema.description === undefined ? {} : { description: schema.description };
  if (field.shape === 'list') {
    const items = single(components, field.type, schema.items ?? {}, true);
    return { ...described, type: 'array', items, ...extensions(schema) };
  }
  if (field.shape === 'map') {
    const values = typeof schema.additionalProperties === 'object' ? schema.additionalProperties : {};
    const additionalProperties = single(components, field.type, values, field.type !== 'bytes');
    return { ...described, type: 'object', additionalProperties, ...mapType(schema) };
  }
  const isShown = field.shape === 'value' && field.shown;
  // For a struct whose map type is `granular` in this place, the component is published as atomic, and the map type is
  // beside the reference.
  const isGranular = schema['x-kubernetes-map-type'] === 'granular';
  const one = single(
    components,
    field.type,
    isGranular ? { ...schema, 'x-kubernetes-map-type': 'atomic' } : schema,
    isShown,
  );
  const beside = { ...described, ...extensions(schema), ...(isGranular ? mapType(schema) : {}) };
  return {
    ...beside,
    ...('$ref' in one && Object.keys(beside).length > 0 ? { allOf: [one] } : one),
    ...(field.default === undefined ? {} : { default: field.default }),
  };
}

/** Returns the schema of one value. A reference with a default needs `allOf`, because $ref allows no other members. */
function single(components: JsonObject, type: GoFieldType, schema: Schema, withDefault: boolean): JsonObject {
  if (typeof type === 'string') return scalar(components, type, schema, withDefault);
  if (!isStruct(type)) {
    add(components, type.struct, {});
    return named(components, either[type.or]);
  }
  add(components, type, schema);
  return withDefault ? { default: {}, allOf: [schemaReference(type.name)] } : schemaReference(type.name);
}

const plainTypes: Partial<Record<GoScalarType, JsonObject>> = {
  string: { type: 'string' },
  bool: { type: 'boolean' },
  int32: { type: 'integer', format: 'int32' },
  int64: { type: 'integer', format: 'int64' },
  double: { type: 'number', format: 'double' },
  bytes: { type: 'string', format: 'byte' },
  strings: { type: 'array', items: { type: 'string', default: '' } },
};

const zeros: Partial<Record<GoScalarType, JsonValue>> = { string: '', bool: false, int32: 0, int64: 0 };

function scalar(components: JsonObject, type: GoScalarType, schema: Schema, withDefault: boolean): JsonObject {
  const plain = plainTypes[type];
  if (plain !== undefined) {
    const zero = withDefault ? zeros[type] : undefined;
    const allowed = schema.enum === undefined ? {} : { enum: [...schema.enum] };
    return { ...plain, ...(zero === undefined ? {} : { default: zero }), ...allowed };
  }
  if (type === 'time') return schemaReference(metaComponentName('Time'));
  if (type === 'microTime') return named(components, microTime);
  if (type === 'quantity') return named(components, quantity);
  if (type === 'rawExtension') return named(components, rawExtension);
  if (type === 'intOrString') return named(components, intOrString);
  return type === 'json' ? named(components, json) : schemaReference(metaComponentName('FieldsV1'));
}

function named(components: JsonObject, name: string): JsonObject {
  components[name] ??= nonObjectComponents[name] ?? {};
  return schemaReference(name);
}

const published = [
  'x-kubernetes-list-map-keys',
  'x-kubernetes-list-type',
  'x-kubernetes-patch-merge-key',
  'x-kubernetes-patch-strategy',
] as const;

function extensions(schema: Schema): JsonObject {
  const found: JsonObject = {};
  for (const name of published) {
    const extension = schema[name];
    if (extension !== undefined) found[name] = extension as JsonValue;
  }
  return found;
}
