import { renderGoTemplate, TemplateError } from '@flotilla/go-template';
import { getMember, isJsonObject, type JsonObject, type JsonValue, setMember } from '@flotilla/json';
import { childPath, indexPath } from '../schema/field-path.ts';
import { readParameters } from './parameters.ts';
import type { TemplateDefinition, TemplateParameter } from './v1/template-definition.ts';

/** Values about the instance itself, which templates read as `.Values.platform`. */
export interface PlatformValues {
  readonly name: string;
  readonly project: string;
  readonly cluster: string;
  readonly namespace: string;
  /** The owner of the instance. Either `user` or `team` is ''. */
  readonly user: string;
  readonly team: string;
}

export interface DefinitionSource {
  readonly definition: TemplateDefinition;
  readonly parameters: readonly TemplateParameter[];
  /** The parameter values of the instance (`spec.parameters`), as YAML. */
  readonly parameterValues: string;
  readonly platform: PlatformValues;
}

export interface RenderedDefinition {
  readonly definition: TemplateDefinition;
  /** The rendering errors, each with the field it occurred in. If there are any, the definition must not be used. */
  readonly problems: readonly string[];
}

/** Renders every string of a template definition. The same source always gives the same result. */
export function renderDefinition({
  definition,
  parameters,
  parameterValues,
  platform,
}: DefinitionSource): RenderedDefinition {
  const read = readParameters(parameterValues, parameters);
  const problems = read.errors.map(({ field, message }) => `${field}: ${message}`);
  const values: JsonObject = { ...withEmptyValues(parameters, read.values), platform: { ...platform } };
  const rendered = render(definition as JsonObject, '', { Values: values }, problems) as TemplateDefinition;
  return { definition: rendered, problems };
}

/**
 * Sets parameters without a value to the empty value of their type, so that templates can test whether they are set.
 */
function withEmptyValues(parameters: readonly TemplateParameter[], values: JsonObject): JsonObject {
  for (const { variable, type } of parameters) {
    const steps = variable.split('.');
    let target = values;
    for (const step of steps.slice(0, -1)) {
      const next = getMember(target, step);
      const inner: JsonObject = isJsonObject(next) ? next : {};
      if (next !== inner) setMember(target, step, inner);
      target = inner;
    }
    const last = steps.at(-1) ?? '';
    if (getMember(target, last) === undefined) setMember(target, last, type === 'boolean' ? false : '');
  }
  return values;
}

function render(value: JsonValue, field: string, values: JsonObject, problems: string[]): JsonValue {
  if (typeof value === 'string') return renderText(value, field, values, problems);
  if (Array.isArray(value)) return value.map((item, at) => render(item, indexPath(field, at), values, problems));
  if (!isJsonObject(value)) return value;
  const made: JsonObject = {};
  for (const [name, member] of Object.entries(value)) {
    setMember(made, name, render(member, childPath(field, name), values, problems));
  }
  return made;
}

function renderText(text: string, field: string, values: JsonObject, problems: string[]): string {
  try {
    return renderGoTemplate(text, values);
  } catch (error) {
    if (!(error instanceof TemplateError)) throw error;
    problems.push(`${field}: ${error.message}`);
    return '';
  }
}
