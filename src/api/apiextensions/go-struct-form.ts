import { type JsonObject, type JsonValue, setMember, sortByBytes, writeJson } from '@flotilla/json';
import type { FieldError } from '../field-error.ts';
import type { ValidationRule } from '../schema/schema.ts';
import type { DefinitionVersion, SchemaProps } from './definition.ts';
import { schemaKeywords } from './schema-keywords.ts';

/*
 * Some messages of Kubernetes print whole structs, with the names and zero values of Go.
 */

/**
 * Returns an error with Kubernetes' message `Invalid value: <value printed as a Go struct>: <detail>`, for a value that
 * is a struct.
 */
export function invalidStruct(field: string, value: JsonValue, detail: string): FieldError {
  const text = writeJson(value, { sorted: false }).replace(/[<>&]/g, (character) => escapes[character] ?? character);
  return { type: 'FieldValueInvalid', field, message: `Invalid value: ${text}: ${detail}` };
}

/** The characters that Go's JSON encoder escapes, and their escapes. */
const escapes: Readonly<Record<string, string>> = { '<': '\\u003c', '>': '\\u003e', '&': '\\u0026' };

export function goStructOfVersions(versions: readonly DefinitionVersion[]): JsonValue {
  return versions.map((version) => ({
    Name: version.name ?? '',
    Served: version.served === true,
    Storage: version.storage === true,
    Deprecated: version.deprecated === true,
    DeprecationWarning: version.deprecationWarning ?? null,
    Schema:
      version.schema === undefined
        ? null
        : { OpenAPIV3Schema: orNull(version.schema.openAPIV3Schema, goStructOfSchema) },
    Subresources:
      version.subresources === undefined
        ? null
        : {
            Status: version.subresources.status === undefined ? null : {},
            Scale: orNull(version.subresources.scale, (scale) => ({
              SpecReplicasPath: scale.specReplicasPath ?? '',
              StatusReplicasPath: scale.statusReplicasPath ?? '',
              LabelSelectorPath: scale.labelSelectorPath ?? null,
            })),
          },
    AdditionalPrinterColumns: orNull(version.additionalPrinterColumns, (columns) =>
      columns.map(({ name = '', type = '', format = '', description = '', priority = 0, jsonPath = '' }) => ({
        Name: name,
        Type: type,
        Format: format,
        Description: description,
        Priority: priority,
        JSONPath: jsonPath,
      })),
    ),
    SelectableFields: orNull(version.selectableFields, (fields) =>
      fields.map(({ jsonPath = '' }) => ({ JSONPath: jsonPath })),
    ),
  }));
}

/** The schema keywords in the order of Kubernetes' internal Go type, in which `nullable` comes sixth. */
const internalKeywords = [
  ...schemaKeywords.slice(0, 5),
  ...schemaKeywords.filter(([word]) => word === 'nullable'),
  ...schemaKeywords.slice(5).filter(([word]) => word !== 'nullable'),
];

export function goStructOfSchema(schema: SchemaProps): JsonValue {
  const form: JsonObject = {};
  for (const [word, shape, goName] of internalKeywords) {
    const value = (schema as Record<string, unknown>)[word];
    form[goName] = goKeywordValue(shape, value);
  }
  return form;
}

function goKeywordValue(shape: string, value: unknown): JsonValue {
  if (value === undefined) return shape === 'text' ? '' : shape === 'flag' ? false : null;
  switch (shape) {
    case 'schema':
      return goStructOfSchema(value as SchemaProps);
    case 'schemas':
      return (value as SchemaProps[]).map(goStructOfSchema);
    case 'schema-map':
      return goMap(value as Record<string, SchemaProps>, goStructOfSchema);
    case 'schema-or-flag':
      return typeof value === 'boolean'
        ? { Allows: value, Schema: null }
        : { Allows: true, Schema: goStructOfSchema(value as SchemaProps) };
    case 'schema-or-schemas':
      return Array.isArray(value)
        ? { Schema: null, JSONSchemas: value.map((item) => goStructOfSchema(item as SchemaProps)) }
        : { Schema: goStructOfSchema(value as SchemaProps), JSONSchemas: null };
    case 'dependencies':
      return goMap(value as Record<string, SchemaProps | string[]>, (item) =>
        Array.isArray(item) ? { Schema: null, Property: item } : { Schema: goStructOfSchema(item), Property: null },
      );
    case 'documentation': {
      const { description = '', url = '' } = value as JsonObject;
      return { Description: description, URL: url };
    }
    case 'rules':
      return (value as ValidationRule[]).map(goStructOfRule);
    default:
      return value as JsonValue;
  }
}

export function goStructOfRule(rule: ValidationRule): JsonObject {
  return {
    Rule: rule.rule ?? '',
    Message: rule.message ?? '',
    MessageExpression: rule.messageExpression ?? '',
    Reason: rule.reason ?? null,
    FieldPath: rule.fieldPath ?? '',
    OptionalOldSelf: rule.optionalOldSelf ?? null,
  };
}

function goMap<T>(items: Readonly<Record<string, T>>, turn: (item: T) => JsonValue): JsonObject {
  const form: JsonObject = {};
  for (const name of sortByBytes(Object.keys(items))) setMember(form, name, turn(items[name] as T));
  return form;
}

function orNull<T>(value: T | undefined, turn: (value: T) => JsonValue): JsonValue {
  return value === undefined ? null : turn(value);
}
