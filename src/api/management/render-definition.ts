import { createTemplateMeter, renderGoTemplate, TemplateError } from '@flotilla/go-template';
import { getMember, isJsonObject, type JsonObject, type JsonValue, setMember } from '@flotilla/json';
import { WorkLimitError } from '@flotilla/work-meter';
import { templateValuesName } from '../naming.ts';
import { childPath, indexPath } from '../schema/field-path.ts';
import { readParameters } from './parameters.ts';
import type { TemplateDefinition, TemplateParameter } from './v1/template-definition.ts';

/** Values about the instance itself, which templates read as `.Values.platform` (`templateValuesName`). */
export interface PlatformValues {
  readonly name: string;
  readonly project: string;
  readonly cluster: string;
  readonly namespace: string;
  /** The owner of the instance. One of `user` and `team` is ''. */
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

/**
 * Renders every string of a template definition. The same source always gives the same result. The work of all strings
 * together is limited, and so is the size of the result.
 */
export function renderDefinition({
  definition,
  parameters,
  parameterValues,
  platform,
}: DefinitionSource): RenderedDefinition {
  const read = readParameters(parameterValues, parameters);
  const problems = read.errors.map(({ field, message }) => `${field}: ${message}`);
  const values: JsonObject = { ...withEmptyValues(parameters, read.values), [templateValuesName]: { ...platform } };
  const rendered = new DefinitionRenderer({ Values: values }, problems).render(definition, '');
  return { definition: rendered, problems };
}

/**
 * Sets parameters without a value to the empty value of their type, so that templates can test whether a parameter is
 * set.
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

/**
 * The maximum number of characters of a rendered definition. The definition is stored in the status of the instance,
 * which the main thread writes several times until the virtual cluster is ready.
 */
const maxRenderedLength = 1024 * 1024;

class DefinitionRenderer {
  readonly #values: JsonObject;
  readonly #problems: string[];
  readonly #meter = createTemplateMeter();
  #length = 0;
  /** True after a limit was exceeded. The remaining strings are then not rendered. */
  #isStopped = false;

  constructor(values: JsonObject, problems: string[]) {
    this.#values = values;
    this.#problems = problems;
  }

  /** Renders the strings in a value. The cast is safe, because the result has the same structure. */
  render<Value extends JsonValue>(value: Value, field: string): Value {
    return this.#render(value, field) as Value;
  }

  #render(value: JsonValue, field: string): JsonValue {
    if (typeof value === 'string') return this.#isStopped ? '' : this.#renderText(value, field);
    if (Array.isArray(value)) return value.map((item, at) => this.#render(item, indexPath(field, at)));
    if (!isJsonObject(value)) return value;
    const made: JsonObject = {};
    for (const [name, member] of Object.entries(value)) {
      setMember(made, name, this.#render(member, childPath(field, name)));
    }
    return made;
  }

  #renderText(text: string, field: string): string {
    try {
      const rendered = renderGoTemplate(text, this.#values, this.#meter);
      this.#length += rendered.length;
      if (this.#length <= maxRenderedLength) return rendered;
      this.#stop(`${field}: the rendered definition exceeds ${maxRenderedLength} characters`);
    } catch (error) {
      if (!(error instanceof TemplateError)) throw error;
      const problem = `${field}: ${error.message}`;
      if (error.cause instanceof WorkLimitError) this.#stop(problem);
      else this.#problems.push(problem);
    }
    return '';
  }

  #stop(problem: string): void {
    this.#isStopped = true;
    this.#problems.push(problem);
  }
}
