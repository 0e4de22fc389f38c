import {
  getMember,
  isJsonObject,
  type JsonObject,
  type JsonValue,
  listAt,
  objectAt,
  textAt,
  textsAt,
} from '@flotilla/json';
import { labelValueFaults, qualifiedNameFaults } from '@flotilla/kubernetes-formats';
import { type FieldError, forbiddenField, invalid, required } from '../field-error.ts';
import { childPath, indexPath } from '../schema/field-path.ts';
import { t } from '../schema/schema-builder.ts';
import { validateLabels } from '../validation/labels.ts';

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
 * Returns the validation errors of a `metav1.LabelSelector`, worded as in Kubernetes. Its types must be valid already.
 */
export function labelSelectorErrors(selector: JsonValue | undefined, path: string): FieldError[] {
  const labels = textMembers(objectAt(selector, 'matchLabels'));
  const errors = validateLabels(labels, childPath(path, 'matchLabels'));
  for (const [index, expression] of listAt(selector, 'matchExpressions').entries()) {
    errors.push(...expressionErrors(expression, indexPath(childPath(path, 'matchExpressions'), index)));
  }
  return errors;
}

function expressionErrors(expression: JsonValue, path: string): FieldError[] {
  const errors: FieldError[] = [];
  const operator = textAt(expression, 'operator');
  const values = textsAt(expression, 'values');
  const valuesPath = childPath(path, 'values');
  if (operator === 'In' || operator === 'NotIn') {
    if (values.length === 0) {
      errors.push(required(valuesPath, "must be specified when `operator` is 'In' or 'NotIn'"));
    }
  } else if (operator === 'Exists' || operator === 'DoesNotExist') {
    if (values.length > 0) {
      errors.push(forbiddenField(valuesPath, "may not be specified when `operator` is 'Exists' or 'DoesNotExist'"));
    }
  } else {
    errors.push(invalid(childPath(path, 'operator'), operator, 'not a valid selector operator'));
  }
  const key = textAt(expression, 'key');
  for (const fault of qualifiedNameFaults(key)) errors.push(invalid(childPath(path, 'key'), key, fault));
  for (const [index, value] of values.entries()) {
    for (const fault of labelValueFaults(value)) errors.push(invalid(indexPath(valuesPath, index), value, fault));
  }
  return errors;
}

/**
 * True if the labels match a `metav1.LabelSelector`. As in Kubernetes, an absent selector matches nothing and an empty
 * selector matches everything. An invalid selector matches nothing.
 */
export function labelSelectorMatches(
  selector: JsonValue | undefined,
  labels: Readonly<Record<string, string>>,
): boolean {
  if (!isJsonObject(selector)) return false;
  const wanted = Object.entries(textMembers(objectAt(selector, 'matchLabels')));
  if (!wanted.every(([key, value]) => label(labels, key) === value)) return false;
  return listAt(selector, 'matchExpressions').every((expression) => {
    const value = label(labels, textAt(expression, 'key'));
    const values = textsAt(expression, 'values');
    switch (textAt(expression, 'operator')) {
      case 'In':
        return value !== undefined && values.includes(value);
      case 'NotIn':
        return value === undefined || !values.includes(value);
      case 'Exists':
        return value !== undefined;
      case 'DoesNotExist':
        return value === undefined;
      default:
        return false;
    }
  });
}

function label(labels: Readonly<Record<string, string>>, key: string): string | undefined {
  const value = getMember(labels as JsonObject, key);
  return typeof value === 'string' ? value : undefined;
}

function textMembers(object: JsonObject | undefined): Record<string, string> {
  return (object ?? {}) as Record<string, string>;
}
