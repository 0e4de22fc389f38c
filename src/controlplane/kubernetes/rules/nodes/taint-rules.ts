import { isJsonObject, type JsonObject, type JsonValue } from '@flotilla/json';
import { labelValueFaults, qualifiedNameFaults } from '@flotilla/kubernetes-formats';
import { type FieldError, invalid, notSupported, required } from '../../../../api/field-error.ts';
import { childPath, indexPath } from '../../../../api/schema/field-path.ts';
import { textOf } from '../checks.ts';
import { duplicateStruct, faultErrors } from '../field-rules.ts';

const effects = ['NoSchedule', 'PreferNoSchedule', 'NoExecute'];

/** Returns the errors of the taints of a node. */
export function* taintErrors(taints: readonly JsonValue[], path: string): Generator<FieldError> {
  const known = new Set<string>();
  for (const [index, taint] of taints.entries()) {
    if (!isJsonObject(taint)) continue;
    const at = indexPath(path, index);
    const [key, value, effect] = [textOf(taint.key), textOf(taint.value), textOf(taint.effect)];
    yield* faultErrors(childPath(at, 'key'), key, qualifiedNameFaults(key));
    const faults = labelValueFaults(value);
    if (faults.length > 0) yield invalid(childPath(at, 'value'), value, faults.join(';'));
    yield* effectErrors(effect, childPath(at, 'effect'));
    const identity = `${effect}\n${key}`;
    if (known.has(identity)) yield duplicateTaint(taint, at);
    known.add(identity);
  }
}

function effectErrors(effect: string, path: string): FieldError[] {
  if (effect === '') return [required(path)];
  return effects.includes(effect) ? [] : [notSupported(path, effect, effects)];
}

/** Returns the error for a repeated taint. Kubernetes prints the taint with the member names of its internal struct. */
function duplicateTaint(taint: JsonObject, path: string): FieldError {
  const printed = {
    Key: textOf(taint.key),
    Value: textOf(taint.value),
    Effect: textOf(taint.effect),
    TimeAdded: taint.timeAdded ?? null,
  };
  return duplicateStruct(path, printed, 'taints must be unique by key and effect pair');
}
