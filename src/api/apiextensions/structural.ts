import { equalJson, type JsonValue } from '@flotilla/json';
import { describeFieldError, type FieldError, forbiddenField, invalid, required } from '../field-error.ts';
import { childPath, indexPath, keyPath } from '../schema/field-path.ts';
import { regexError } from '../schema/validate-scalar.ts';
import { withValidationBudget } from '../schema/validation-budget.ts';
import { itemsSchemaOf, type SchemaProps } from './definition.ts';
import { completenessErrors } from './structural-completeness.ts';

type Level = 'root' | 'item' | 'field';

/**
 * Returns the reasons why a schema is not structural. A structural schema specifies the type of each member, item and
 * map outside of conditions (allOf, anyOf, oneOf, not), so that unknown members can be pruned and missing ones
 * defaulted. Errors are sorted, as in Kubernetes.
 */
export function structuralErrors(schema: SchemaProps, path: string): FieldError[] {
  const errors = withValidationBudget(path, () => [
    ...invariantErrors(schema, 'root', path),
    ...completenessErrors(schema, path),
  ]);
  const lines = new Map(errors.map((error) => [error, describeFieldError(error)]));
  return errors.sort((a, b) => ((lines.get(a) ?? '') < (lines.get(b) ?? '') ? -1 : 1));
}

/**
 * Returns an error message for the first unsupported keyword. The message is reported only if the schema has no other
 * error.
 */
export function unsupportedKeyword(schema: SchemaProps): string | undefined {
  if ((schema.id ?? '') !== '') return notSupportedText('id');
  if ((schema.$schema ?? '') !== '') return notSupportedText('schema');
  if ((schema.$ref ?? '') !== '') return notSupportedText('$ref');
  for (const word of ['patternProperties', 'dependencies', 'additionalItems', 'definitions'] as const) {
    if (schema[word] !== undefined) return notSupportedText(word);
  }
  if (schema['x-kubernetes-preserve-unknown-fields'] === false) {
    return "internal error: 'x-kubernetes-preserve-unknown-fields' must be true or undefined";
  }
  if (Array.isArray(schema.items)) return "OpenAPIV3Schema 'items' must be a schema, but is an array";
  for (const part of subschemasOf(schema)) {
    const found = unsupportedKeyword(part);
    if (found !== undefined) return found;
  }
  return undefined;
}

function notSupportedText(word: string): string {
  return `OpenAPIV3Schema '${word}' is not supported`;
}

/** Returns the schemas that are directly nested in a schema. */
export function subschemasOf(schema: SchemaProps): SchemaProps[] {
  const { additionalProperties, not } = schema;
  const items = itemsSchemaOf(schema);
  return [
    ...(schema.allOf ?? []),
    ...(schema.anyOf ?? []),
    ...(schema.oneOf ?? []),
    ...(not === undefined ? [] : [not]),
    ...(items === undefined ? [] : [items]),
    ...Object.values(schema.properties ?? {}),
    ...(typeof additionalProperties === 'object' ? [additionalProperties] : []),
  ];
}

function invariantErrors(schema: SchemaProps, level: Level, path: string): FieldError[] {
  const errors: FieldError[] = [];
  const at = (name: string) => childPath(path, name);
  const items = itemsSchemaOf(schema);
  const { type = '', properties = {}, additionalProperties } = schema;
  const isResource = schema['x-kubernetes-embedded-resource'] === true;
  const keepsUnknown = schema['x-kubernetes-preserve-unknown-fields'] === true;
  const intOrString = schema['x-kubernetes-int-or-string'] === true;

  if (type === 'array' && items === undefined) errors.push(required(at('items'), 'must be specified'));
  if (items !== undefined) errors.push(...invariantErrors(items, 'item', at('items')));
  for (const [name, member] of Object.entries(properties)) {
    errors.push(...invariantErrors(member, 'field', keyPath(at('properties'), name)));
  }
  if (additionalProperties !== undefined) {
    if (level === 'root') errors.push(forbiddenField(at('additionalProperties'), 'must not be used at the root'));
    if (typeof additionalProperties === 'object') {
      errors.push(...invariantErrors(additionalProperties, 'field', at('additionalProperties')));
    }
  }
  if (intOrString && keepsUnknown) {
    const detail = 'must be false if x-kubernetes-int-or-string is true';
    errors.push(invalid(at('x-kubernetes-preserve-unknown-fields'), true, detail));
  }
  if (intOrString && isResource) {
    const detail = 'must be false if x-kubernetes-int-or-string is true';
    errors.push(invalid(at('x-kubernetes-embedded-resource'), true, detail));
  }
  errors.push(
    ...conditionErrors(schema, path, {
      skipAnyOf: isIntOrString(schema.anyOf),
      skipFirstAnyOf: isIntOrString(schema.allOf?.[0]?.anyOf),
    }),
  );
  if (isResource && type !== 'object') {
    const detail = 'must be object if x-kubernetes-embedded-resource is true';
    errors.push(type === '' ? required(at('type'), detail) : invalid(at('type'), type, detail));
  } else if (type === '' && !intOrString && !keepsUnknown) {
    errors.push(required(at('type'), missingType[level]));
  }
  if (isResource && additionalProperties !== undefined) {
    const detail = 'must not be used if x-kubernetes-embedded-resource is set';
    errors.push(forbiddenField(at('additionalProperties'), detail));
  }
  if (level === 'root' && type !== '' && type !== 'object') {
    errors.push(invalid(at('type'), type, 'must be object at the root'));
  }
  errors.push(...resourceErrors(schema, level, path));
  if (isResource && !keepsUnknown && Object.keys(properties).length === 0) {
    const detail =
      'must not be empty if x-kubernetes-embedded-resource is true without x-kubernetes-preserve-unknown-fields';
    errors.push(required(at('properties'), detail));
  }
  return errors;
}

const missingType: Readonly<Record<Level, string>> = {
  root: 'must not be empty at the root',
  item: 'must not be empty for specified array items',
  field: 'must not be empty for specified object fields',
};

/**
 * Validates the schemas of apiVersion, kind and metadata. At the root, a schema can restrict only the name and
 * generateName of the metadata (META-24).
 */
function resourceErrors(schema: SchemaProps, level: Level, path: string): FieldError[] {
  const errors: FieldError[] = [];
  const { properties = {} } = schema;
  const isResource = level === 'root' || schema['x-kubernetes-embedded-resource'] === true;
  const member = (name: string) => (Object.hasOwn(properties, name) ? properties[name] : undefined);
  const at = (name: string) => keyPath(childPath(path, 'properties'), name);
  for (const name of ['kind', 'apiVersion']) {
    const found = member(name);
    if (isResource && found !== undefined && found.type !== 'string') {
      errors.push(invalid(childPath(at(name), 'type'), found.type ?? '', 'must be string'));
    }
  }
  const metadata = member('metadata');
  if (metadata === undefined) return errors;
  if (isResource && metadata.type !== 'object') {
    errors.push(invalid(childPath(at('metadata'), 'type'), metadata.type ?? '', 'must be object'));
  }
  if (level === 'root' && !restrictsNamesOnly(metadata)) {
    const detail = 'must not specify anything other than name and generateName, but metadata is implicitly specified';
    errors.push(forbiddenField(at('metadata'), detail));
  }
  return errors;
}

function restrictsNamesOnly({ type: _, default: __, properties = {}, ...others }: SchemaProps): boolean {
  const names = Object.keys(properties);
  return Object.keys(others).length === 0 && names.every((name) => name === 'name' || name === 'generateName');
}

/** True for `anyOf: [{ type: integer }, { type: string }]`, the only condition that may contain types. */
function isIntOrString(anyOf: readonly SchemaProps[] | undefined): boolean {
  return anyOf !== undefined && equalJson(anyOf as unknown as JsonValue, [{ type: 'integer' }, { type: 'string' }]);
}

interface Exceptions {
  readonly skipAnyOf?: boolean;
  readonly skipFirstAnyOf?: boolean;
}

/** Validates the conditions (allOf, anyOf, oneOf, not) and the pattern of a schema. */
function conditionErrors(schema: SchemaProps, path: string, exceptions: Exceptions): FieldError[] {
  const errors: FieldError[] = [];
  const each = (word: 'anyOf' | 'allOf' | 'oneOf') =>
    (schema[word] ?? []).forEach((part, index) => {
      const skipAnyOf = word === 'allOf' && index === 0 && exceptions.skipFirstAnyOf === true;
      errors.push(...nestedErrors(part, indexPath(childPath(path, word), index), { skipAnyOf }));
    });
  if (exceptions.skipAnyOf !== true) each('anyOf');
  each('allOf');
  each('oneOf');
  if (schema.not !== undefined) errors.push(...nestedErrors(schema.not, childPath(path, 'not'), {}));
  const fault = schema.pattern === undefined ? undefined : regexError(schema.pattern);
  if (fault !== undefined) {
    const detail = `must be a valid regular expression, but isn't: ${fault}`;
    errors.push(invalid(childPath(path, 'pattern'), schema.pattern, detail));
  }
  return errors;
}

/** Keywords that are forbidden inside a condition, each with Kubernetes' error message. */
const forbiddenKeywords: readonly (readonly [keyof SchemaProps, string])[] = [
  ['type', 'must be empty to be structural'],
  ['additionalProperties', 'must be undefined to be structural'],
  ['default', 'must be undefined to be structural'],
  ['title', 'must be empty to be structural'],
  ['description', 'must be empty to be structural'],
  ['nullable', 'must be false to be structural'],
  ['x-kubernetes-preserve-unknown-fields', 'must be false to be structural'],
  ['x-kubernetes-embedded-resource', 'must be false to be structural'],
  ['x-kubernetes-int-or-string', 'must be false to be structural'],
  ['x-kubernetes-list-map-keys', 'must be empty to be structural'],
  ['x-kubernetes-list-type', 'must be undefined to be structural'],
  ['x-kubernetes-map-type', 'must be undefined to be structural'],
  ['x-kubernetes-validations', 'must be empty to be structural'],
];

function nestedErrors(schema: SchemaProps, path: string, exceptions: Exceptions): FieldError[] {
  const errors = conditionErrors(schema, path, exceptions);
  const items = itemsSchemaOf(schema);
  if (items !== undefined) errors.push(...nestedErrors(items, childPath(path, 'items'), {}));
  for (const [name, member] of Object.entries(schema.properties ?? {})) {
    errors.push(...nestedErrors(member, keyPath(childPath(path, 'properties'), name), {}));
  }
  for (const [word, detail] of forbiddenKeywords) {
    const isSaid = word === 'additionalProperties' ? schema[word] || undefined : schema[word];
    if (isSaid !== undefined) errors.push(forbiddenField(childPath(path, word), detail));
  }
  if (Object.hasOwn(schema.properties ?? {}, 'metadata')) {
    const detail = 'must not be specified in a nested context';
    errors.push(forbiddenField(keyPath(childPath(path, 'properties'), 'metadata'), detail));
  }
  return errors;
}
