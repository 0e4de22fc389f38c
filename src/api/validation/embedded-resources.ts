import { isJsonObject, type JsonObject, type JsonValue } from '@flotilla/json';
import { dns1035LabelFaults } from '@flotilla/kubernetes-formats';
import { type FieldError, invalid, required } from '../field-error.ts';
import type { ObjectMeta } from '../meta.ts';
import { childPath, indexPath } from '../schema/field-path.ts';
import { hasEmbeddedResources } from '../schema/has-embedded-resources.ts';
import { memberSchema } from '../schema/member-schema.ts';
import type { Schema } from '../schema/schema.ts';
import { validateMeta } from './object-meta.ts';

/**
 * Validates `apiVersion`, `kind` and `metadata` of the embedded resources that the schema declares. The caller must
 * have normalized the metadata of the embedded resources.
 */
export function validateEmbedded(schema: Schema, value: JsonValue, path = ''): FieldError[] {
  return hasEmbeddedResources(schema) ? validateBelow(schema, value, path) : [];
}

function validateBelow(schema: Schema, value: JsonValue, path: string): FieldError[] {
  if (Array.isArray(value)) {
    const { items } = schema;
    if (items === undefined) return [];
    return value.flatMap((item, index) => validateBelow(items, item, indexPath(path, index)));
  }
  if (!isJsonObject(value)) return [];
  const errors = schema['x-kubernetes-embedded-resource'] === true ? resourceErrors(value, path) : [];
  for (const name of Object.keys(value)) {
    const member = memberSchema(schema, name);
    if (member !== undefined) errors.push(...validateBelow(member, value[name] ?? null, childPath(path, name)));
  }
  return errors;
}

function resourceErrors(resource: JsonObject, path: string): FieldError[] {
  const at = (name: string) => childPath(path, name);
  const { apiVersion, kind, metadata } = resource;
  const errors: FieldError[] = [];
  if (apiVersion === undefined) errors.push(required(at('apiVersion')));
  if (kind === undefined) errors.push(required(at('kind')));
  if (apiVersion !== undefined) errors.push(...textErrors(apiVersion, at('apiVersion'), groupVersionFaults));
  if (kind !== undefined) errors.push(...textErrors(kind, at('kind'), kindFaults));
  if (isJsonObject(metadata)) errors.push(...metadataErrors(metadata as ObjectMeta, at('metadata')));
  return errors;
}

function textErrors(value: JsonValue, field: string, faults: (text: string) => string[]): FieldError[] {
  if (typeof value !== 'string') return [invalid(field, value, 'must be a string')];
  if (value === '') return [invalid(field, value, 'must not be empty')];
  return faults(value).map((fault) => invalid(field, value, fault));
}

function groupVersionFaults(text: string): string[] {
  return text.split('/').length > 2 ? [`unexpected GroupVersion string: ${text}`] : [];
}

function kindFaults(text: string): string[] {
  const faults = dns1035LabelFaults(text.toLowerCase());
  return faults.length === 0 ? [] : [`may have mixed case, but should otherwise match: ${faults.join(',')}`];
}

/** Validates the metadata of an embedded resource. Name and namespace are optional. */
function metadataErrors(meta: ObjectMeta, field: string): FieldError[] {
  const named = (meta.name ?? '') === '' ? { ...meta, name: 'unnamed' } : meta;
  const errors = validateMeta(named, { namespaced: (meta.namespace ?? '') !== '', nameRule: 'path-segment' });
  return errors.map((error) => ({ ...error, field: `${field}${error.field.slice('metadata'.length)}` }));
}
