import { getMember, isJsonObject, type JsonObject, type JsonValue, setMember } from '@flotilla/json';
import { WorkLimitError } from '@flotilla/work-meter';
import { FAILSAFE_SCHEMA, loadAll, nullCoreTag } from 'js-yaml';
import { type FieldError, forbiddenField, invalid, notSupported, required, typeInvalid } from '../field-error.ts';
import { type ParameterNode, parameterTree } from './parameter-tree.ts';
import { ParameterPatterns } from './pattern.ts';
import type { TemplateParameter } from './v1/template-definition.ts';

export interface ParameterValues {
  /** The converted values and defaults, nested by the paths of the parameters. Templates read them as `.Values`. */
  readonly values: JsonObject;
  readonly errors: readonly FieldError[];
}

/**
 * A YAML schema that reads every scalar as text. The type of the parameter determines how the text is converted. So
 * `1.30` stays a string where a string is expected, and `yes` does not become a boolean by accident.
 */
const textual = FAILSAFE_SCHEMA.withTags(nullCoreTag);

// biome-ignore lint/suspicious/noControlCharactersInRegex: the expression detects control characters.
const controlCharacter = /[\u0000-\u001f\u007f-\u009f]/;
const numeral = /^-?\d+(\.\d+)?([eE][+-]?\d{1,3})?$/;

/**
 * The maximum total length of all parameter values, in characters. Parsing YAML takes many times as long as parsing
 * JSON.
 */
const maxParametersLength = 64 * 1024;

/** Parses the parameter values of an instance (YAML) and checks them against the parameters of its template. */
export function readParameters(
  text: string,
  parameters: readonly TemplateParameter[],
  field = 'spec.parameters',
): ParameterValues {
  const values: JsonObject = {};
  if (text.length > maxParametersLength) {
    const detail = `must be at most ${maxParametersLength} characters long, but has ${text.length}`;
    return { values, errors: [invalid(field, `${text.slice(0, 100)}…`, detail)] };
  }
  const given = parseParameters(text);
  if (typeof given === 'string') return { values, errors: [invalid(field, text, given)] };

  const errors = unknownNames(given, parameters, field);
  const patterns = new ParameterPatterns();
  for (const parameter of parameters) {
    const raw = rawValue(given, parameter.variable);
    const path = `${field}.${parameter.variable}`;
    const text = raw === undefined || raw === null || raw === '' ? (parameter.defaultValue ?? '') : raw;
    if (text === '') {
      if (parameter.required === true) errors.push(required(path, parameter.label ?? ''));
      else if (raw === '') assign(values, parameter.variable, '');
      continue;
    }
    const { value, error, isOverLimit } = checkParameterValue(text, parameter, path, patterns);
    if (error !== undefined) errors.push(error);
    if (isOverLimit === true) break;
    if (error === undefined) assign(values, parameter.variable, value);
  }
  return { values, errors };
}

/** Returns the parsed map, or an error message. */
function parseParameters(text: string): JsonObject | string {
  if (text.trim() === '') return {};
  try {
    const documents = loadAll(text, { schema: textual, maxAliases: 0 }) as JsonValue[];
    if (documents.length > 1) return 'must be a single YAML document';
    const document = documents[0] ?? null;
    if (document === null) return {};
    return isJsonObject(document) ? document : 'must be a YAML map with one <key>: <value> per line';
  } catch (error) {
    const reason = error instanceof Error && 'reason' in error ? String(error.reason) : 'it cannot be parsed';
    return `must be a YAML map: ${reason}`;
  }
}

function rawValue(given: JsonObject, variable: string): JsonValue | undefined {
  let value: JsonValue | undefined = given;
  for (const step of variable.split('.')) value = isJsonObject(value) ? getMember(value, step) : undefined;
  return value;
}

function assign(values: JsonObject, variable: string, value: JsonValue): void {
  const steps = variable.split('.');
  let target = values;
  for (const step of steps.slice(0, -1)) {
    const next = getMember(target, step);
    if (isJsonObject(next)) target = next;
    else {
      const made: JsonObject = {};
      setMember(target, step, made);
      target = made;
    }
  }
  setMember(target, steps.at(-1) ?? '', value);
}

/**
 * The maximum number of unknown names that are reported (`maxUnknownNames`), and of characters in the list of available
 * names (`maxAvailableLength`).
 */
const maxUnknownNames = 100;
const maxAvailableLength = 1000;

function unknownNames(given: JsonObject, parameters: readonly TemplateParameter[], field: string): FieldError[] {
  const variables = parameters.map(({ variable }) => variable);
  const text = unknownText(variables);
  const errors: FieldError[] = [];
  const walk = (object: JsonObject, { children }: ParameterNode, prefix: string): void => {
    for (const key of Object.keys(object)) {
      if (errors.length >= maxUnknownNames) return;
      const node = children?.get(key);
      const value = object[key] as JsonValue;
      if (node?.index !== undefined || (node !== undefined && value === null)) continue;
      if (node !== undefined && isJsonObject(value)) walk(value, node, `${prefix}.${key}`);
      else errors.push(forbiddenField(`${prefix}.${key}`, text));
    }
  };
  walk(given, parameterTree(variables), field);
  return errors;
}

function unknownText(variables: readonly string[]): string {
  if (variables.length === 0) return 'the template has no parameters';
  const names = [...new Set(variables)].join(', ');
  const shown = names.length > maxAvailableLength ? `${names.slice(0, maxAvailableLength)}…` : names;
  return `the template has no such parameter; available: ${shown}`;
}

export interface CheckedValue {
  readonly value: JsonValue;
  readonly error?: FieldError;
  /**
   * True if the work exceeds the limit of the patterns object. No other value can be checked with this object
   * afterwards.
   */
  readonly isOverLimit?: boolean;
}

/** Checks the value of a parameter and converts it to the parameter's type. */
export function checkParameterValue(
  raw: JsonValue,
  parameter: TemplateParameter,
  path: string,
  patterns: ParameterPatterns,
): CheckedValue {
  try {
    return checkValue(raw, parameter, path, patterns);
  } catch (error) {
    if (!(error instanceof WorkLimitError)) throw error;
    const detail = `${error.message}; use shorter or fewer patterns and values`;
    return { value: null, error: forbiddenField(path, detail), isOverLimit: true };
  }
}

function checkValue(
  raw: JsonValue,
  parameter: TemplateParameter,
  path: string,
  patterns: ParameterPatterns,
): CheckedValue {
  const type = parameter.type ?? 'string';
  // Never show the value of a password, because many users can see error messages.
  const shown = type === 'password' ? '<hidden>' : raw;
  const refuse = (error: FieldError) => ({ value: null, error });
  if (typeof raw !== 'string') return refuse(typeInvalid(path, shown, `must be a ${nameOf(type)}`));
  if (type !== 'multiline' && controlCharacter.test(raw)) {
    return refuse(invalid(path, shown, 'must not contain control characters or line breaks'));
  }
  const options = parameter.options ?? [];
  if (options.length > 0 && !options.includes(raw)) return refuse(notSupported(path, shown, options));

  if (type === 'boolean') {
    const lower = raw.toLowerCase();
    if (lower !== 'true' && lower !== 'false') return refuse(typeInvalid(path, shown, 'must be true or false'));
    return { value: lower === 'true' };
  }
  if (parameter.validation && !patterns.matches(parameter.validation, raw)) {
    return refuse(invalid(path, shown, `must match the pattern ${parameter.validation}`));
  }
  if (parameter.invalidation && patterns.matches(parameter.invalidation, raw)) {
    return refuse(invalid(path, shown, `must not match the pattern ${parameter.invalidation}`));
  }
  if (type === 'number') {
    const number = Number(raw);
    if (!numeral.test(raw) || !Number.isFinite(number)) return refuse(typeInvalid(path, shown, 'must be a number'));
    if (parameter.min !== undefined && number < Number(parameter.min)) {
      return refuse(invalid(path, number, `must be greater than or equal to ${parameter.min}`));
    }
    if (parameter.max !== undefined && number > Number(parameter.max)) {
      return refuse(invalid(path, number, `must be less than or equal to ${parameter.max}`));
    }
    return { value: number };
  }
  return { value: raw };
}

function nameOf(type: string): string {
  return type === 'boolean' || type === 'number' ? type : 'string';
}
