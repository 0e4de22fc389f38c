import { isJsonObject, type JsonObject, type JsonValue } from '@flotilla/json';
import { type FieldError, forbiddenField, invalid, notSupported, required } from '../../../../api/field-error.ts';
import { childPath } from '../../../../api/schema/field-path.ts';
import { labelSelectorErrors, labelSelectorMatches } from '../../../../api/selectors/selector-object.ts';
import { memberAt, objectAt, textOf } from '../checks.ts';
import { invalidStruct } from '../field-rules.ts';
import type { Check, FieldPosition } from '../object-rules.ts';

/** The labels of the pods that a template describes; `undefined` if it has none. */
export function templateLabels(template: JsonValue | undefined): JsonObject | undefined {
  const labels = memberAt(template, ['metadata', 'labels']);
  return isJsonObject(labels) ? labels : undefined;
}

export function matchesLabels(selector: JsonValue | undefined, labels: JsonObject | undefined): boolean {
  return labelSelectorMatches(selector, (labels ?? {}) as Record<string, string>);
}

export function isEmptySelector(selector: JsonObject): boolean {
  const { matchLabels, matchExpressions } = selector;
  const hasLabels = isJsonObject(matchLabels) && Object.keys(matchLabels).length > 0;
  return !hasLabels && !(Array.isArray(matchExpressions) && matchExpressions.length > 0);
}

/** The selector of a workload must be present, valid and not empty. Messages contain `workload`. */
export function workloadSelector(workload: string, invalidDetail: string): Check {
  return function* (value, { path }) {
    if (!isJsonObject(value)) {
      yield required(path);
      return;
    }
    const errors = labelSelectorErrors(value, path);
    yield* errors;
    if (isEmptySelector(value)) yield invalidStruct(path, value, `empty selector is invalid for ${workload}`);
    if (errors.length > 0) yield invalidStruct(path, value, invalidDetail);
  };
}

/** Returns the error of a template whose labels do not match the selector. */
export function unmatchedTemplate(path: string, labels: JsonObject | undefined): FieldError {
  return invalid(`${path}.metadata.labels`, labels ?? null, '`selector` does not match template `labels`');
}

/** The labels of the template must match the selector, unless the selector is invalid or empty. */
export const matchingTemplate: Check = function* (value, { path, parent }) {
  if (!hasValidSelector(parent)) return;
  const { selector } = parent;
  // In Go, an absent selector selects nothing and is not empty.
  if (isJsonObject(selector) && isEmptySelector(selector)) return;
  const labels = templateLabels(value);
  if (!matchesLabels(selector, labels)) yield unmatchedTemplate(path, labels);
};

function hasValidSelector({ selector }: JsonObject): boolean {
  return labelSelectorErrors(selector, '').length === 0;
}

/**
 * Returns the template of a workload, or `undefined` if the selector of the workload is invalid: Kubernetes then does
 * not check the template.
 */
export function templateOfValidSelector(
  value: JsonValue | undefined,
  { parent }: FieldPosition,
): JsonValue | undefined {
  return hasValidSelector(parent) ? value : undefined;
}

/** Returns a check of a workload's spec. The pods of the workload must run until they are deleted. */
export function longRunningPods(workload: string): Check {
  return function* (spec, { path }) {
    const pod = objectAt(memberAt(spec, ['template']), 'spec');
    const podPath = childPath(path, 'template.spec');
    if (pod.restartPolicy !== 'Always') {
      yield notSupported(`${podPath}.restartPolicy`, textOf(pod.restartPolicy), ['Always']);
    }
    if ((pod.activeDeadlineSeconds ?? undefined) !== undefined) {
      const detail = `activeDeadlineSeconds in ${workload} is not Supported`;
      yield forbiddenField(`${podPath}.activeDeadlineSeconds`, detail);
    }
  };
}

/** Wraps a check of a spec. The returned check runs only if the selector in the spec is valid. */
export function ifSelectorIsValid(check: Check): Check {
  return (spec, position) => (isJsonObject(spec) && hasValidSelector(spec) ? check(spec, position) : []);
}

/**
 * Returns a check that is registered for a member but checks the struct that contains the member. It thus runs between
 * the checks of other members.
 */
export function ofParent(check: Check): Check {
  return (_, position) =>
    check(position.parent, { ...position, path: position.path.slice(0, position.path.lastIndexOf('.')) });
}
