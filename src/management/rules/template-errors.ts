import { isJsonObject, type JsonValue, listAt, textAt } from '@flotilla/json';
import { WorkLimitError } from '@flotilla/work-meter';
import { loadAll } from 'js-yaml';
import { duplicate, type FieldError, forbiddenField, invalid, notSupported } from '../../api/field-error.ts';
import { isReservedLabel } from '../../api/management/host-isolation/reserved-labels.ts';
import { maxVariableLength, parameterTree, parentIndex } from '../../api/management/parameter-tree.ts';
import { checkParameterValue } from '../../api/management/parameters.ts';
import { ParameterPatterns } from '../../api/management/pattern.ts';
import { isTemplateVersion } from '../../api/management/template-version.ts';
import {
  parameterTypes,
  type TemplateDefinition,
  type TemplateParameter,
} from '../../api/management/v1/template-definition.ts';
import type { VirtualClusterTemplateSpec } from '../../api/management/v1/virtual-cluster-template.ts';
import { keyPath } from '../../api/schema/field-path.ts';
import type { ManagementSettings } from '../settings.ts';
import { clusterScopedKinds } from './cluster-scoped-kinds.ts';
import { entryLimitErrors } from './entry-limit.ts';
import { TemplateSyntaxCheck } from './template-syntax.ts';

type DefinitionErrors = typeof templateDefinitionErrors;

/** Validates the spec of a template, with the rules for its definitions. */
export function templateSpecErrors(
  spec: VirtualClusterTemplateSpec = {},
  settings: ManagementSettings,
  definitionErrors: DefinitionErrors = templateDefinitionErrors,
): FieldError[] {
  const seen = new Set<string>();
  const patterns = new ParameterPatterns();
  const syntax = new TemplateSyntaxCheck();
  return [
    ...definitionErrors(spec.template, 'spec.template', settings, syntax),
    ...parameterListErrors(spec.parameters, 'spec.parameters', patterns),
    ...(spec.versions ?? []).flatMap(({ version = '', template, parameters }, index) => {
      const path = `spec.versions[${index}]`;
      const errors = [
        ...definitionErrors(template, `${path}.template`, settings, syntax),
        ...parameterListErrors(parameters, `${path}.parameters`, patterns),
      ];
      if (!isTemplateVersion(version)) {
        errors.unshift(invalid(`${path}.version`, version, 'must be a semantic version, such as 1.2.0'));
      } else if (seen.has(version)) errors.unshift(duplicate(`${path}.version`, version));
      seen.add(version);
      return errors;
    }),
  ];
}

/**
 * Validates the definition of a virtual cluster, inline or in a template. Does not replace the template parameters in
 * the definition by values.
 */
export function templateDefinitionErrors(
  definition: TemplateDefinition | undefined,
  field: string,
  settings: ManagementSettings,
  syntax = new TemplateSyntaxCheck(),
): FieldError[] {
  return [
    ...chartErrors(definition?.helmRelease?.chart, `${field}.helmRelease.chart`, settings),
    ...namespacedObjectErrors(definition?.spaceTemplate?.objects ?? '', `${field}.spaceTemplate.objects`),
    ...reservedLabelErrors(definition?.spaceTemplate?.metadata?.labels, `${field}.spaceTemplate.metadata.labels`),
    ...entryLimitErrors(definition?.access, `${field}.access`),
    ...syntax.errors(definition, field),
  ];
}

/** Returns an error for each label of a host namespace that only the server may set. */
export function reservedLabelErrors(labels: Readonly<Record<string, string>> = {}, field: string): FieldError[] {
  return Object.keys(labels)
    .filter(isReservedLabel)
    .map((label) =>
      forbiddenField(
        keyPath(field, label),
        'only the server sets this label; use spec.hostIsolation of the cluster or project',
      ),
    );
}

/** A chart in a template. Omitted members default to the members of the first allowed chart. */
type Chart = NonNullable<TemplateDefinition['helmRelease']>['chart'];

function chartErrors(chart: Chart, field: string, settings: ManagementSettings): FieldError[] {
  const { name = '', repo = '' } = chart ?? {};
  const { allowed } = settings.charts;
  const isAllowed = allowed.some((one) => (name === '' || name === one.name) && (repo === '' || repo === one.repo));
  if (isAllowed || (name === '' && repo === '')) return [];
  const known = allowed.map((one) => `${one.name} from ${one.repo}`).join(', ');
  const detail = `chart not allowed; allowed: ${known === '' ? 'none' : known}`;
  return allowed.some((one) => one.name === name)
    ? [forbiddenField(`${field}.repo`, detail)]
    : [forbiddenField(`${field}.name`, detail)];
}

/**
 * Matches the kind of a YAML document: a `kind` at the start of a line. The document may contain template expressions.
 */
const kindLine = /^kind:[ \t]*["']?([A-Za-z]+)["']?[ \t]*(?:#.*)?$/gm;

/**
 * The maximum length of a text with objects that is parsed here, during the client's request. Problems in longer texts
 * are found when the objects are applied.
 */
const maxParsedLength = 64 * 1024;

/** Returns the errors of objects that are applied in a host namespace. */
export function namespacedObjectErrors(text: string, field: string): FieldError[] {
  if (text === '') return [];
  const kinds = new Set<string>();
  if (text.length <= maxParsedLength && !text.includes('{{')) {
    try {
      for (const document of loadAll(text, { maxAliases: 100 }) as JsonValue[]) {
        if (document === null) continue;
        if (!isJsonObject(document)) return [invalid(field, '', 'must be YAML documents with one object each')];
        if (textAt(document, 'kind') === '') return [invalid(field, '', 'every object must have a kind')];
        kinds.add(textAt(document, 'kind'));
        for (const item of listAt(document, 'items')) kinds.add(textAt(item, 'kind'));
      }
    } catch (error) {
      const reason = error instanceof Error && 'reason' in error ? String(error.reason) : 'cannot be read';
      return [invalid(field, '', `must be YAML: ${reason}`)];
    }
  }
  for (const [, kind] of text.matchAll(kindLine)) if (kind !== undefined) kinds.add(kind);
  return [...kinds]
    .filter((kind) => clusterScopedKinds.has(kind))
    .map((kind) =>
      forbiddenField(field, `only namespaced kinds may be applied in the host namespace; ${kind} is cluster-scoped`),
    );
}

const variableName = /^[A-Za-z_][A-Za-z0-9_-]*(\.[A-Za-z_][A-Za-z0-9_-]*)*$/;

function parameterListErrors(
  parameters: readonly TemplateParameter[] = [],
  field: string,
  patterns: ParameterPatterns,
): FieldError[] {
  const variables = parameters.map(({ variable = '' }) => variable);
  const tree = parameterTree(variables);
  const seen = new Set<string>();
  return parameters.flatMap((parameter, index) => {
    const path = `${field}[${index}]`;
    const variable = variables[index] ?? '';
    const errors = parameterErrors(parameter, path, patterns);
    const isRepeated = seen.has(variable);
    seen.add(variable);
    if (variable.length > maxVariableLength) {
      const detail = `must be at most ${maxVariableLength} characters long`;
      errors.unshift(invalid(`${path}.variable`, `${variable.slice(0, 100)}…`, detail));
    } else if (!variableName.test(variable)) {
      errors.unshift(invalid(`${path}.variable`, variable, 'must be a name, or names joined by dots: foo, foo.bar'));
    } else if (isRepeated) {
      errors.unshift(duplicate(`${path}.variable`, variable));
    } else {
      const parent = parentIndex(tree, variable);
      if (parent !== undefined) {
        errors.unshift(
          invalid(
            `${path}.variable`,
            variable,
            `the parameter ${variables[parent]} is a single value and cannot contain other parameters`,
          ),
        );
      }
    }
    return errors;
  });
}

function parameterErrors(parameter: TemplateParameter, path: string, patterns: ParameterPatterns): FieldError[] {
  const errors: FieldError[] = [];
  const { type = '', min, max, options = [], defaultValue = '' } = parameter;
  if (type !== '' && !(parameterTypes as readonly string[]).includes(type)) {
    return [notSupported(`${path}.type`, type, parameterTypes)];
  }
  for (const member of ['validation', 'invalidation'] as const) {
    const pattern = parameter[member] ?? '';
    const text = pattern === '' ? undefined : patternError(pattern, patterns);
    if (text !== undefined) errors.push(invalid(`${path}.${member}`, pattern, text));
  }
  if (min !== undefined && max !== undefined && min > max) {
    errors.push(invalid(`${path}.min`, min, `must be less than or equal to max, which is ${max}`));
  }
  if (errors.length > 0 || patterns.isOverLimit) return errors;

  const withoutOptions = { ...parameter, options: [] };
  for (const [index, option] of options.entries()) {
    const { error, isOverLimit } = checkParameterValue(option, withoutOptions, `${path}.options[${index}]`, patterns);
    if (error !== undefined) errors.push(error);
    if (isOverLimit === true) return errors;
  }
  if (defaultValue !== '' && errors.length === 0) {
    const { error } = checkParameterValue(defaultValue, parameter, `${path}.defaultValue`, patterns);
    if (error !== undefined) errors.push(error);
  }
  return errors;
}

function patternError(pattern: string, patterns: ParameterPatterns): string | undefined {
  if (patterns.isOverLimit) return undefined;
  try {
    return patterns.error(pattern);
  } catch (error) {
    if (!(error instanceof WorkLimitError)) throw error;
    return `${error.message}; use shorter or fewer patterns`;
  }
}
