import { isJsonObject, type JsonObject, type JsonValue, valueAt } from '@flotilla/json';
import { yamlText } from '@flotilla/yaml';
import { FAILSAFE_SCHEMA, loadAll, nullCoreTag } from 'js-yaml';
import type { TemplateParameter } from '../../../../src/api/management/v1/template-definition.ts';
import { setAt } from '../../../data/objects/set-at.ts';

/** Parameter values as text, by variable. Only parameters that have a value are included. */
export type ParameterValues = ReadonlyMap<string, string>;

/** A YAML schema that reads every scalar except null as text, as the server does. */
const textSchema = FAILSAFE_SCHEMA.withTags(nullCoreTag);

/** Parses the YAML text of `spec.parameters`; `undefined` if the text is not a YAML map. */
export function readParameterText(text: string): JsonObject | undefined {
  if (text.trim() === '') return {};
  try {
    const [document = null, ...more] = loadAll(text, { schema: textSchema, maxAliases: 0 }) as JsonValue[];
    if (more.length > 0) return undefined;
    return document === null ? {} : isJsonObject(document) ? document : undefined;
  } catch {
    return undefined;
  }
}

/** Returns the values that the YAML text sets for these parameters. */
export function parameterValues(text: string, parameters: readonly TemplateParameter[]): ParameterValues {
  const given = readParameterText(text) ?? {};
  const values = new Map<string, string>();
  for (const { variable } of parameters) {
    const value = valueAt(given, ...variable.split('.'));
    if (typeof value === 'string' && value !== '') values.set(variable, value);
  }
  return values;
}

/**
 * Returns the YAML text with a new value for one parameter. An empty value removes the parameter, so its default
 * applies.
 */
export function withParameter(text: string, parameter: TemplateParameter, value: string): string {
  const given = readParameterText(text) ?? {};
  return toYaml(setAt(given, parameter.variable.split('.'), value === '' ? undefined : value));
}

/** Returns the YAML text without values for which the template has no parameter. */
export function retainParameters(text: string, parameters: readonly TemplateParameter[]): string {
  let kept: JsonObject = {};
  for (const [variable, value] of parameterValues(text, parameters)) kept = setAt(kept, variable.split('.'), value);
  return toYaml(kept);
}

/** Returns the YAML text with masked passwords. */
export function maskPasswords(text: string, parameters: readonly TemplateParameter[]): string {
  const hidden = parameters.filter(({ type }) => type === 'password').map(({ variable }) => variable);
  const values = parameterValues(text, parameters);
  if (!hidden.some((variable) => values.has(variable))) return text;
  let shown = readParameterText(text) ?? {};
  for (const variable of hidden) if (values.has(variable)) shown = setAt(shown, variable.split('.'), '••••••');
  return toYaml(shown);
}

function toYaml(values: JsonObject): string {
  return Object.keys(values).length === 0 ? '' : yamlText(plain(values));
}

/** Converts texts to integers and booleans where this does not change their meaning, so the YAML needs fewer quotes. */
function plain(value: JsonValue): JsonValue {
  if (isJsonObject(value)) return Object.fromEntries(Object.entries(value).map(([name, own]) => [name, plain(own)]));
  if (typeof value !== 'string') return value;
  if (value === 'true' || value === 'false') return value === 'true';
  return /^(0|-?[1-9]\d{0,14})$/.test(value) ? Number(value) : value;
}
