import { type FieldError, forbiddenField, invalid, notSupported, required } from '../field-error.ts';
import { childPath, indexPath, keyPath } from '../schema/field-path.ts';
import { itemsSchemaOf, type SchemaProps } from './definition.ts';
import { listTypeErrors, mapKeyErrors } from './list-type-errors.ts';
import { resolveSchemaField } from './resolve-schema-field.ts';

/** The context of a schema, which determines the keywords that the schema may contain. */
interface SchemaContext {
  /** If set, the schema must not contain a default. The text is the reason, which is added to the error message. */
  readonly noDefaults?: string;
  /** True if the schema describes a part of the apiVersion, kind or metadata of a resource. */
  readonly inMetadata: boolean;
}

/** Returns all errors in the keywords of a schema, except those that `structuralErrors` reports. */
export function schemaErrors(schema: SchemaProps, path: string): FieldError[] {
  return errorsOf(schema, path, { inMetadata: false }, true);
}

function errorsOf(schema: SchemaProps, path: string, context: SchemaContext, isRoot: boolean): FieldError[] {
  const at = (name: string) => childPath(path, name);
  const errors = keywordErrors(schema, path, context);
  if (schema.uniqueItems === true) {
    const detail = 'uniqueItems cannot be set to true since the runtime complexity becomes quadratic';
    errors.push(forbiddenField(at('uniqueItems'), detail));
  }
  errors.push(...memberErrors(schema, path, context, isRoot));
  const below = (part: SchemaProps, where: string) => errors.push(...errorsOf(part, where, context, false));
  if (schema.not !== undefined) below(schema.not, at('not'));
  for (const word of ['allOf', 'oneOf', 'anyOf'] as const) {
    (schema[word] ?? []).forEach((part, index) => void below(part, indexPath(at(word), index)));
  }
  for (const [name, part] of Object.entries(schema.definitions ?? {})) below(part, keyPath(at('definitions'), name));
  if (Array.isArray(schema.items)) {
    schema.items.forEach((part: SchemaProps, index) => void below(part, indexPath(at('items'), index)));
  } else {
    const items = itemsSchemaOf(schema);
    if (items !== undefined) below(items, at('items'));
  }
  for (const [name, part] of Object.entries(schema.dependencies ?? {})) {
    if (!Array.isArray(part)) below(part as SchemaProps, keyPath(at('dependencies'), name));
  }
  if (schema['x-kubernetes-preserve-unknown-fields'] === false) {
    errors.push(invalid(at('x-kubernetes-preserve-unknown-fields'), false, 'must be true or undefined'));
  }
  errors.push(...mapTypeErrors(schema, path));
  errors.push(...listTypeErrors(schema, path), ...mapKeyErrors(schema, path));
  errors.push(...ruleErrors(schema, path));
  return errors;
}

const types = ['array', 'boolean', 'integer', 'number', 'object', 'string'];

/** Reports OpenAPI keywords that are not supported or have an invalid value. */
function keywordErrors(schema: SchemaProps, path: string, context: SchemaContext): FieldError[] {
  const errors: FieldError[] = [];
  const at = (name: string) => childPath(path, name);
  const { type } = schema;
  if (type !== undefined && !types.includes(type)) errors.push(notSupported(at('type'), type, types));
  if (schema.default !== undefined && context.noDefaults !== undefined) {
    errors.push(forbiddenField(at('default'), `must not be set ${context.noDefaults}`));
  }
  const unsupported = (word: keyof SchemaProps) => {
    if (schema[word] !== undefined) errors.push(forbiddenField(at(word), `${word} is not supported`));
  };
  unsupported('id');
  unsupported('additionalItems');
  unsupported('patternProperties');
  unsupported('definitions');
  unsupported('dependencies');
  unsupported('$ref');
  if (type === 'null') {
    errors.push(forbiddenField(at('type'), 'type cannot be set to null, use nullable as an alternative'));
  }
  if (Array.isArray(schema.items) && schema.items.length > 0) {
    errors.push(forbiddenField(at('items'), 'items must be a schema object and not an array'));
  }
  if (context.inMetadata && schema['x-kubernetes-embedded-resource'] === true) {
    errors.push(forbiddenField(at('x-kubernetes-embedded-resource'), 'must not be used inside of resource meta'));
  }
  return errors;
}

const resourceMembers = ['metadata', 'kind', 'apiVersion'];

/**
 * Returns the errors of the properties and additionalProperties of a schema. A schema cannot have both, because pruning
 * could not choose between them.
 */
function memberErrors(schema: SchemaProps, path: string, context: SchemaContext, isRoot: boolean): FieldError[] {
  const errors: FieldError[] = [];
  const { additionalProperties, properties = {} } = schema;
  if (additionalProperties !== undefined && Object.keys(properties).length > 0 && additionalProperties !== true) {
    const detail = 'additionalProperties and properties are mutual exclusive';
    errors.push(forbiddenField(childPath(path, 'additionalProperties'), detail));
  }
  if (typeof additionalProperties === 'object') {
    const noDefaults = context.inMetadata ? 'inside additionalProperties applying to object metadata' : undefined;
    const inside = { ...context, ...(noDefaults === undefined ? {} : { noDefaults }) };
    errors.push(...errorsOf(additionalProperties, childPath(path, 'additionalProperties'), inside, false));
  }
  const isResource = isRoot || schema['x-kubernetes-embedded-resource'] === true;
  for (const [name, member] of Object.entries(properties)) {
    const ofResource = isResource && resourceMembers.includes(name);
    const inside: SchemaContext = {
      ...context,
      inMetadata: context.inMetadata || ofResource,
      ...(isRoot && ofResource ? { noDefaults: `in top-level ${name}` } : {}),
    };
    errors.push(...errorsOf(member, keyPath(childPath(path, 'properties'), name), inside, false));
  }
  return errors;
}

function mapTypeErrors(schema: SchemaProps, path: string): FieldError[] {
  const mapType = schema['x-kubernetes-map-type'];
  if (mapType === undefined) return [];
  const errors: FieldError[] = [];
  const detail = 'must be object if x-kubernetes-map-type is specified';
  const field = childPath(path, 'type');
  if (schema.type === undefined) errors.push(required(field, detail));
  else if (schema.type !== 'object') errors.push(invalid(field, schema.type, detail));
  if (mapType !== 'atomic' && mapType !== 'granular') {
    errors.push(notSupported(childPath(path, 'x-kubernetes-map-type'), mapType, ['atomic', 'granular']));
  }
  return errors;
}

const reasons = ['FieldValueDuplicate', 'FieldValueForbidden', 'FieldValueInvalid', 'FieldValueRequired'];
const lineBreak = /[\n\r]/;

/** Validates the fields of CEL rules (`x-kubernetes-validations`), but not their expressions. */
function ruleErrors(schema: SchemaProps, path: string): FieldError[] {
  const errors: FieldError[] = [];
  (schema['x-kubernetes-validations'] ?? []).forEach((rule, index) => {
    const at = (name: string) => childPath(indexPath(childPath(path, 'x-kubernetes-validations'), index), name);
    const { message = '', messageExpression = '', fieldPath = '', reason } = rule;
    const text = (rule.rule ?? '').trim();
    if (text === '') errors.push(required(at('rule'), 'rule is not specified'));
    else if (message !== '' && message.trim() === '') {
      errors.push(invalid(at('message'), message, 'must be non-empty if specified'));
    } else if (lineBreak.test(message.trim())) {
      errors.push(invalid(at('message'), message, 'must not contain line breaks'));
    } else if (lineBreak.test(text) && message.trim() === '') {
      errors.push(required(at('message'), 'message must be specified if rule contains line breaks'));
    }
    if (messageExpression !== '' && messageExpression.trim() === '') {
      errors.push(required(at('messageExpression'), 'messageExpression must be non-empty if specified'));
    }
    if (reason !== undefined && !reasons.includes(reason)) errors.push(notSupported(at('reason'), reason, reasons));
    if (fieldPath === '') return;
    if (fieldPath.trim() === '') errors.push(invalid(at('fieldPath'), fieldPath, 'must be non-empty if specified'));
    if (lineBreak.test(fieldPath)) errors.push(invalid(at('fieldPath'), fieldPath, 'must not contain line breaks'));
    if ('fault' in resolveSchemaField(fieldPath, schema, true)) {
      errors.push(invalid(at('fieldPath'), fieldPath, 'must be a valid path'));
    }
  });
  return errors;
}
