import { isJsonObject, type JsonObject, type JsonValue } from '@flotilla/json';
import { labelValueFaults, qualifiedNameFaults, subdomainFaults } from '@flotilla/kubernetes-formats';
import { type FieldError, forbiddenField, invalid, required } from '../../../../api/field-error.ts';
import { childPath, indexPath } from '../../../../api/schema/field-path.ts';
import { listOf, textOf } from '../checks.ts';
import { deprecatedNodeLabels } from '../node-labels.ts';

/** Returns the objects in a list with their paths. */
function* itemsOf(list: JsonValue | undefined, path: string): Generator<[item: JsonObject, path: string]> {
  for (const [index, item] of listOf(list).entries()) if (isJsonObject(item)) yield [item, indexPath(path, index)];
}

function* labelRequirementErrors(requirement: JsonObject, path: string): Generator<FieldError> {
  const operator = textOf(requirement.operator);
  const values = listOf(requirement.values).map(textOf);
  const at = childPath(path, 'values');
  if (operator === 'In' || operator === 'NotIn') {
    if (values.length === 0) yield required(at, "must be specified when `operator` is 'In' or 'NotIn'");
  } else if (operator === 'Exists' || operator === 'DoesNotExist') {
    if (values.length > 0) {
      yield forbiddenField(at, "may not be specified when `operator` is 'Exists' or 'DoesNotExist'");
    }
  } else if (operator === 'Gt' || operator === 'Lt') {
    if (values.length !== 1) yield required(at, "must be specified single value when `operator` is 'Lt' or 'Gt'");
  } else yield invalid(childPath(path, 'operator'), operator, 'not a valid selector operator');
  const key = textOf(requirement.key);
  for (const fault of qualifiedNameFaults(key)) yield invalid(childPath(path, 'key'), key, fault);
  for (const [index, value] of values.entries()) {
    for (const fault of labelValueFaults(value)) yield invalid(indexPath(at, index), value, fault);
  }
}

function* fieldRequirementErrors(requirement: JsonObject, path: string): Generator<FieldError> {
  const operator = textOf(requirement.operator);
  const values = listOf(requirement.values).map(textOf);
  const at = childPath(path, 'values');
  if (operator !== 'In' && operator !== 'NotIn') {
    yield invalid(childPath(path, 'operator'), operator, 'not a valid selector operator');
  } else if (values.length !== 1) {
    yield required(at, "must be only one value when `operator` is 'In' or 'NotIn' for node field selector");
  }
  if (requirement.key !== 'metadata.name') {
    yield invalid(childPath(path, 'key'), textOf(requirement.key), 'not a valid field selector key');
    return;
  }
  for (const [index, value] of values.entries()) {
    for (const fault of subdomainFaults(value)) yield invalid(indexPath(at, index), value, fault);
  }
}

/** Returns the errors of a selector of nodes. */
export function* nodeSelectorErrors(selector: JsonObject, path: string): Generator<FieldError> {
  const at = childPath(path, 'nodeSelectorTerms');
  if (listOf(selector.nodeSelectorTerms).length === 0) yield required(at, 'must have at least one node selector term');
  for (const [term, termPath] of itemsOf(selector.nodeSelectorTerms, at)) {
    for (const [requirement, where] of itemsOf(term.matchExpressions, childPath(termPath, 'matchExpressions'))) {
      yield* labelRequirementErrors(requirement, where);
    }
    for (const [requirement, where] of itemsOf(term.matchFields, childPath(termPath, 'matchFields'))) {
      yield* fieldRequirementErrors(requirement, where);
    }
  }
}

/** Returns warnings about deprecated labels in a selector of nodes. */
export function* nodeSelectorWarnings(selector: JsonObject, path: string): Generator<string> {
  for (const [term, termPath] of itemsOf(selector.nodeSelectorTerms, childPath(path, 'nodeSelectorTerms'))) {
    for (const [requirement, at] of itemsOf(term.matchExpressions, childPath(termPath, 'matchExpressions'))) {
      const key = textOf(requirement.key);
      const message = deprecatedNodeLabels.get(key);
      if (message !== undefined) yield `${childPath(at, 'key')}: ${key} is ${message}`;
    }
  }
}
