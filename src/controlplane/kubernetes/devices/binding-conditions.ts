import type { JsonObject, JsonValue } from '@flotilla/json';
import { qualifiedNameFaults } from '@flotilla/kubernetes-formats';
import { duplicate, type FieldError, invalid } from '../../../api/field-error.ts';
import { childPath, indexPath } from '../../../api/schema/field-path.ts';
import { listOf, textOf } from '../rules/checks.ts';
import { faultErrors } from '../rules/field-rules.ts';
import { listErrors } from './bounded-lists.ts';

const maxBindingConditions = 4;

/**
 * Returns the errors of the binding conditions of a device, or of an allocated device. Pods are not bound before these
 * conditions are true.
 */
export function* bindingConditionErrors(device: JsonObject, path: string): Generator<FieldError> {
  const members = ['bindingConditions', 'bindingFailureConditions'] as const;
  const [conditions, failures] = members.map((name) => listOf(device[name]).map(textOf)) as [string[], string[]];
  const [conditionsPath, failuresPath] = members.map((name) => childPath(path, name)) as [string, string];
  const errorsOf = (item: JsonValue, at: string) => faultErrors(at, item, qualifiedNameFaults(textOf(item)));
  yield* listErrors(conditions, conditionsPath, maxBindingConditions, errorsOf);
  yield* listErrors(failures, failuresPath, maxBindingConditions, errorsOf);
  const known = new Set<string>();
  for (const [index, name] of conditions.entries()) {
    if (known.has(name)) yield duplicate(indexPath(conditionsPath, index), name);
    known.add(name);
  }
  const knownFailures = new Set<string>();
  for (const [index, name] of failures.entries()) {
    const at = indexPath(failuresPath, index);
    if (knownFailures.has(name)) yield duplicate(at, name);
    knownFailures.add(name);
    if (known.has(name)) yield invalid(at, name, 'bindingFailureConditions must not overlap with bindingConditions');
  }
  // Kubernetes prints an absent list as null.
  if (conditions.length === 0 && failures.length > 0) {
    const detail = 'bindingConditions are required to use bindingFailureConditions';
    yield invalid(conditionsPath, device.bindingConditions ?? null, detail);
  }
  if (failures.length === 0 && conditions.length > 0) {
    const detail = 'bindingFailureConditions are required to use bindingConditions';
    yield invalid(failuresPath, device.bindingFailureConditions ?? null, detail);
  }
}
