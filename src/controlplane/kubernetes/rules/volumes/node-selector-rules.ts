import type { JsonObject } from '@flotilla/json';
import { labelValueFaults, qualifiedNameFaults, subdomainFaults } from '@flotilla/kubernetes-formats';
import { type FieldError, forbiddenField, invalid, required } from '../../../../api/field-error.ts';
import { childPath, indexPath } from '../../../../api/schema/field-path.ts';
import { itemsAt, listOf, textOf } from '../checks.ts';
import { faultErrors } from '../field-rules.ts';
import { deprecatedNodeLabels } from '../node-labels.ts';

type ValueFaults = (value: string) => readonly string[];

function* operatorErrors(requirement: JsonObject, path: string): Generator<FieldError> {
  const operator = textOf(requirement.operator);
  const count = listOf(requirement.values).length;
  const at = childPath(path, 'values');
  if (operator === 'In' || operator === 'NotIn') {
    if (count === 0) yield required(at, "must be specified when `operator` is 'In' or 'NotIn'");
  } else if (operator === 'Exists' || operator === 'DoesNotExist') {
    if (count > 0) yield forbiddenField(at, "may not be specified when `operator` is 'Exists' or 'DoesNotExist'");
  } else if (operator === 'Gt' || operator === 'Lt') {
    if (count !== 1) yield required(at, "must be specified single value when `operator` is 'Lt' or 'Gt'");
  } else yield invalid(childPath(path, 'operator'), operator, 'not a valid selector operator');
}

function* valueErrors(requirement: JsonObject, path: string, faultsOf: ValueFaults): Generator<FieldError> {
  for (const [index, value] of listOf(requirement.values).entries()) {
    const text = textOf(value);
    yield* faultErrors(indexPath(childPath(path, 'values'), index), text, faultsOf(text));
  }
}

/** The name is the only field of a node that can be matched. */
function* fieldErrors(requirement: JsonObject, path: string): Generator<FieldError> {
  const [key, operator] = [textOf(requirement.key), textOf(requirement.operator)];
  if (operator !== 'In' && operator !== 'NotIn') {
    yield invalid(childPath(path, 'operator'), operator, 'not a valid selector operator');
  } else if (listOf(requirement.values).length !== 1) {
    const detail = "must be only one value when `operator` is 'In' or 'NotIn' for node field selector";
    yield required(childPath(path, 'values'), detail);
  }
  if (key !== 'metadata.name') yield invalid(childPath(path, 'key'), key, 'not a valid field selector key');
  else yield* valueErrors(requirement, path, subdomainFaults);
}

/** Returns the errors of a term of a node selector. `valueFaults` returns the faults of a label value. */
export function* nodeTermErrors(term: JsonObject, path: string, valueFaults: ValueFaults): Generator<FieldError> {
  for (const [requirement, at] of itemsAt(term, 'matchExpressions', path)) {
    yield* operatorErrors(requirement, at);
    const key = textOf(requirement.key);
    yield* faultErrors(childPath(at, 'key'), key, qualifiedNameFaults(key));
    yield* valueErrors(requirement, at, valueFaults);
  }
  for (const [requirement, at] of itemsAt(term, 'matchFields', path)) yield* fieldErrors(requirement, at);
}

/** Returns the errors of a node selector. */
export function* nodeSelectorErrors(selector: JsonObject, path: string): Generator<FieldError> {
  const terms = itemsAt(selector, 'nodeSelectorTerms', path);
  if (terms.length === 0) {
    yield required(childPath(path, 'nodeSelectorTerms'), 'must have at least one node selector term');
  }
  for (const [term, at] of terms) yield* nodeTermErrors(term, at, labelValueFaults);
}

/** Returns warnings about deprecated labels in a node selector. */
export function* nodeSelectorWarnings(selector: JsonObject, path: string): Generator<string> {
  for (const [term, termPath] of itemsAt(selector, 'nodeSelectorTerms', path)) {
    for (const [requirement, at] of itemsAt(term, 'matchExpressions', termPath)) {
      const key = textOf(requirement.key);
      const message = deprecatedNodeLabels.get(key);
      if (message !== undefined) yield `${childPath(at, 'key')}: ${key} is ${message}`;
    }
  }
}
