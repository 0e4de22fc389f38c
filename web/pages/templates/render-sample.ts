import { isJsonObject } from '@flotilla/json';
import type { PlatformValues, renderDefinition } from '../../../src/api/management/render-definition.ts';
import type { TemplateDefinition, TemplateParameter } from '../../../src/api/management/v1/template-definition.ts';
import type { TextProblem } from '../../components/editor/editor-props.ts';
import type { TemplateType } from '../../data/template-types.ts';
import type { TemplateVersion } from './template-versions.ts';

/** A template rendered with sample values. */
export interface RenderedSample {
  /** The rendered definition; `undefined` if the template cannot be rendered. */
  readonly definition: TemplateDefinition | undefined;
  /** The problems in the template, each with the path of its field. */
  readonly problems: readonly TextProblem[];
  /** The problems in the sample values, by the variable name of the parameter. */
  readonly valueProblems: ReadonlyMap<string, string>;
}

/** Returns sample values about an instance. */
export function samplePlatform({ namespaceOf }: Pick<TemplateType, 'namespaceOf'>): PlatformValues {
  return {
    name: 'demo',
    project: 'default',
    cluster: 'local',
    namespace: `${namespaceOf('default', 'demo')}-abc123`,
    user: 'admin',
    team: '',
  };
}

const parametersField = 'spec.parameters';

/** Returns the parameters that have a variable name. A template that the user is still editing may lack some names. */
export function usableParameters({ parameters }: TemplateVersion): readonly TemplateParameter[] {
  return Array.isArray(parameters) ? parameters.filter(isUsable) : [];
}

function isUsable(parameter: unknown): parameter is TemplateParameter {
  return isJsonObject(parameter) && typeof parameter.variable === 'string' && parameter.variable !== '';
}

/**
 * The type of the server's own template renderer. The console uses this renderer, so the preview shows exactly what the
 * server would create.
 */
export type TemplateRenderer = typeof renderDefinition;

export function renderSample(
  render: TemplateRenderer,
  part: TemplateVersion,
  { given, platform }: { readonly given: string; readonly platform: PlatformValues },
): RenderedSample {
  const definition: TemplateDefinition = isJsonObject(part.definition) ? part.definition : {};
  const rendered = render({ definition, parameters: usableParameters(part), parameterValues: given, platform });
  const valueProblems = new Map<string, string>();
  const problems: TextProblem[] = [];
  for (const problem of rendered.problems) {
    const colon = problem.indexOf(': ');
    const [field, message] = [problem.slice(0, colon), problem.slice(colon + 2)];
    if (field === parametersField) valueProblems.set('', message);
    else if (field.startsWith(`${parametersField}.`))
      valueProblems.set(field.slice(parametersField.length + 1), message);
    else problems.push(problemAt(`${part.path}.template.${field}`, message));
  }
  return { definition: problems.length === 0 ? rendered.definition : undefined, problems, valueProblems };
}

const insideText = /^line (\d+), column \d+/;

/**
 * Returns a problem with its line. If the field's value is a text of several lines, the error message may name a line
 * of that text.
 */
function problemAt(path: string, message: string): TextProblem {
  const line = insideText.exec(message)?.[1];
  return { path, message, ...(line === undefined ? {} : { line: Number(line) }) };
}
