import { isJsonObject, type JsonObject, type JsonValue, listAt, objectAt, textAt, textsAt } from '@flotilla/json';
import { labelValueFaults, qualifiedNameFaults } from '@flotilla/kubernetes-formats';
import { boundedErrors } from '../bounded-errors.ts';
import { type FieldError, forbiddenField, invalid, required } from '../field-error.ts';
import { childPath, indexPath } from '../schema/field-path.ts';
import { t } from '../schema/schema-builder.ts';
import { validateLabels } from '../validation/labels.ts';
import {
  compileLabelRequirements,
  type LabelOperator,
  type LabelRequirement,
  type Labels,
} from './label-requirements.ts';

/** The schema of a label selector inside an object (`metav1.LabelSelector`). */
export function labelSelectorSchema(description: string) {
  return t.object(
    {
      matchExpressions: t.optional(
        t.array(
          t.object({
            key: t.string({ description: 'The key of the label that the requirement applies to.' }),
            operator: t.string({ description: 'The operator: In, NotIn, Exists or DoesNotExist.' }),
            values: t.optional(
              t.array(t.string(), {
                listType: 'atomic',
                description: 'The values for the operators In and NotIn. Must be empty for other operators.',
              }),
            ),
          }),
          { listType: 'atomic', description: 'Requirements for labels. An object must meet all of them.' },
        ),
      ),
      matchLabels: t.optional(
        t.map(t.string(), { description: 'Labels that an object must have, with exactly these values.' }),
      ),
    },
    { atomic: true, description },
  );
}

/**
 * Returns the validation errors of a `metav1.LabelSelector`, worded as in Kubernetes. The types of its members must
 * already be valid.
 */
export function labelSelectorErrors(selector: JsonValue | undefined, path: string): FieldError[] {
  return boundedErrors(selectorErrors(selector, path));
}

function* selectorErrors(selector: JsonValue | undefined, path: string): Generator<FieldError> {
  const labels = textMembers(objectAt(selector, 'matchLabels'));
  yield* validateLabels(labels, childPath(path, 'matchLabels'));
  for (const [index, expression] of listAt(selector, 'matchExpressions').entries()) {
    yield* expressionErrors(expression, indexPath(childPath(path, 'matchExpressions'), index));
  }
}

function* expressionErrors(expression: JsonValue, path: string): Generator<FieldError> {
  const operator = textAt(expression, 'operator');
  const values = textsAt(expression, 'values');
  const valuesPath = childPath(path, 'values');
  if (operator === 'In' || operator === 'NotIn') {
    if (values.length === 0) {
      yield required(valuesPath, "must be specified when `operator` is 'In' or 'NotIn'");
    }
  } else if (operator === 'Exists' || operator === 'DoesNotExist') {
    if (values.length > 0) {
      yield forbiddenField(valuesPath, "may not be specified when `operator` is 'Exists' or 'DoesNotExist'");
    }
  } else {
    yield invalid(childPath(path, 'operator'), operator, 'not a valid selector operator');
  }
  const key = textAt(expression, 'key');
  for (const fault of qualifiedNameFaults(key)) yield invalid(childPath(path, 'key'), key, fault);
  for (const [index, value] of values.entries()) {
    for (const fault of labelValueFaults(value)) yield invalid(indexPath(valuesPath, index), value, fault);
  }
}

/** A `metav1.LabelSelector` that can be matched against the labels of many objects. */
export interface CompiledSelector {
  /** True if the selector has no requirements, so it matches everything. */
  readonly isEmpty: boolean;
  matches(labels: Labels): boolean;
}

/**
 * Cache of compiled selectors, by their JSON object. Caching is safe because stored objects are never changed, and
 * useful because one selector is matched with many objects.
 */
const compiled = new WeakMap<JsonObject, CompiledSelector>();

/**
 * Compiles a `metav1.LabelSelector`. As in Kubernetes, an absent selector matches nothing and an empty selector matches
 * everything. An invalid selector matches nothing. The caller must not change the selector afterwards.
 */
export function compileLabelSelector(selector: JsonValue | undefined): CompiledSelector {
  if (!isJsonObject(selector)) return nothing;
  const known = compiled.get(selector);
  if (known !== undefined) return known;
  const requirements = requirementsOf(selector);
  const result = { isEmpty: requirements.length === 0, matches: compileLabelRequirements(requirements) };
  compiled.set(selector, result);
  return result;
}

const nothing: CompiledSelector = { isEmpty: false, matches: () => false };

/** True if the labels match a `metav1.LabelSelector`; see `compileLabelSelector`. */
export function labelSelectorMatches(selector: JsonValue | undefined, labels: Labels): boolean {
  return compileLabelSelector(selector).matches(labels);
}

const operators: ReadonlyMap<string, LabelOperator> = new Map([
  ['In', 'in'],
  ['NotIn', 'notin'],
  ['Exists', 'exists'],
  ['DoesNotExist', 'absent'],
]);

function requirementsOf(selector: JsonObject): LabelRequirement[] {
  const requirements: LabelRequirement[] = [];
  const labels = textMembers(objectAt(selector, 'matchLabels'));
  for (const key in labels) requirements.push({ key, operator: 'in', values: [labels[key] ?? ''] });
  for (const expression of listAt(selector, 'matchExpressions')) {
    const operator = operators.get(textAt(expression, 'operator')) ?? 'never';
    requirements.push({ key: textAt(expression, 'key'), operator, values: textsAt(expression, 'values') });
  }
  return requirements;
}

function textMembers(object: JsonObject | undefined): Record<string, string> {
  return (object ?? {}) as Record<string, string>;
}
