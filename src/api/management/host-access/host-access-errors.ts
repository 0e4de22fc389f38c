import { isJsonObject, type JsonValue, writeJson } from '@flotilla/json';
import { type FieldError, forbiddenField } from '../../field-error.ts';
import { childPath } from '../../schema/field-path.ts';
import type { TemplateDefinition } from '../v1/template-definition.ts';
import { chartValuesLengthError, checkChartValues } from './chart-value-errors.ts';
import type { HostAccessSettings } from './host-access-settings.ts';

/** The members of a definition that act on the host. */
const hostMembers = [
  ['metadata', 'labels and annotations of objects on the host'],
  ['spaceTemplate', 'objects, labels and annotations of the host namespace'],
] as const;

/**
 * Returns the parts of an unrendered definition that require the permission `hostaccess`. Chart values with template
 * expressions are checked only after rendering (`restrictDefinition`).
 */
export function hostAccessErrors(
  definition: TemplateDefinition,
  field: string,
  settings: HostAccessSettings,
): FieldError[] {
  const values = definition.helmRelease?.values ?? '';
  const valuesField = childPath(field, 'helmRelease.values');
  const valueErrors = values.includes('{{')
    ? [chartValuesLengthError(values, valuesField) ?? []].flat()
    : checkChartValues(values, valuesField, settings.allowedValues).errors;
  return [...memberErrors(definition, field), ...valueErrors];
}

export interface RestrictedDefinition {
  /**
   * The definition that may be installed. It differs from the given definition only in its chart values, which are
   * JSON.
   */
  readonly definition: TemplateDefinition;
  /** The errors. If the list is not empty, the definition must not be installed. */
  readonly errors: readonly FieldError[];
}

/** Checks a rendered definition whose author does not have the permission `hostaccess`. */
export function restrictDefinition(definition: TemplateDefinition, settings: HostAccessSettings): RestrictedDefinition {
  const { helmRelease } = definition;
  const errors = memberErrors(definition, '');
  if (helmRelease?.values === undefined || helmRelease.values === '') return { definition, errors };
  const checked = checkChartValues(helmRelease.values, 'helmRelease.values', settings.allowedValues);
  return {
    definition: { ...definition, helmRelease: { ...helmRelease, values: writeJson(checked.values) } },
    errors: [...errors, ...checked.errors],
  };
}

function memberErrors(definition: TemplateDefinition, field: string): FieldError[] {
  const errors = hostMembers.flatMap(([member, acts]) =>
    hasContent(definition[member])
      ? [forbiddenField(childPath(field, member), `${acts} require the permission hostaccess`)]
      : [],
  );
  if ((definition.helmRelease?.chart?.version ?? '') !== '') {
    const detail = 'another version than the default of the server requires the permission hostaccess';
    errors.push(forbiddenField(childPath(field, 'helmRelease.chart.version'), detail));
  }
  return errors;
}

/**
 * Maps whose keys have an effect even if their values are empty. For example, a selector can require a label with an
 * empty value.
 */
const mapsOfNames = new Set(['labels', 'annotations']);

/**
 * False for null, for an empty string or map, and for a map that contains only null and empty values. A label or
 * annotation always counts as content.
 */
export function hasContent(value: JsonValue | undefined): boolean {
  if (value === undefined || value === null || value === '') return false;
  if (!isJsonObject(value)) return true;
  return Object.entries(value).some(([name, member]) =>
    mapsOfNames.has(name) && isJsonObject(member) ? Object.keys(member).length > 0 : hasContent(member),
  );
}
