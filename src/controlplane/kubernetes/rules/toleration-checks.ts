import { isJsonObject, type JsonObject } from '@flotilla/json';
import { labelValueFaults, qualifiedNameFaults } from '@flotilla/kubernetes-formats';
import { type FieldError, invalid, notSupported } from '../../../api/field-error.ts';
import { childPath, indexPath } from '../../../api/schema/field-path.ts';
import { listOf, textOf } from './checks.ts';
import type { Check } from './object-rules.ts';

const effects = ['NoSchedule', 'PreferNoSchedule', 'NoExecute'];

/** Checks a list of tolerations. */
export const tolerations: Check = function* (value, { path }) {
  for (const [index, toleration] of listOf(value).entries()) {
    if (isJsonObject(toleration)) yield* tolerationErrors(toleration, indexPath(path, index));
  }
};

function* tolerationErrors(toleration: JsonObject, path: string): Generator<FieldError> {
  const key = textOf(toleration.key);
  const operator = textOf(toleration.operator);
  const effect = textOf(toleration.effect);
  const operatorPath = childPath(path, 'operator');
  if (key !== '') for (const fault of qualifiedNameFaults(key)) yield invalid(childPath(path, 'key'), key, fault);
  if (key === '' && operator !== 'Exists') {
    const detail = 'operator must be Exists when `key` is empty, which means "match all values and all keys"';
    yield invalid(operatorPath, operator, detail);
  }
  const isTimed = (toleration.tolerationSeconds ?? undefined) !== undefined;
  if (isTimed && effect !== 'NoExecute') {
    yield invalid(childPath(path, 'effect'), effect, "effect must be 'NoExecute' when `tolerationSeconds` is set");
  }
  yield* operatorErrors(operator, textOf(toleration.value), operatorPath);
  if (effect !== '' && !effects.includes(effect)) yield notSupported(childPath(path, 'effect'), effect, effects);
}

function* operatorErrors(operator: string, value: string, path: string): Generator<FieldError> {
  if (operator === '' || operator === 'Equal') {
    const faults = labelValueFaults(value);
    if (faults.length > 0) yield invalid(path, value, faults.join(';'));
  } else if (operator === 'Exists') {
    if (value !== '') yield invalid(path, value, "value must be empty when `operator` is 'Exists'");
  } else {
    const isComparison = operator === 'Lt' || operator === 'Gt';
    yield notSupported(path, operator, ['Equal', 'Exists', ...(isComparison ? ['Lt', 'Gt'] : [])]);
  }
}
