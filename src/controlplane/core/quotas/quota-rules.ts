import {
  equalJson,
  type JsonObject,
  type JsonValue,
  listAt,
  objectAt,
  sortByBytes,
  textAt,
  textsAt,
  writeJson,
} from '@flotilla/json';
import { isWholeQuantity, parseQuantity, qualifiedNameFaults } from '@flotilla/kubernetes-formats';
import { boundedErrors } from '../../../api/bounded-errors.ts';
import { type FieldError, invalid, required } from '../../../api/field-error.ts';
import type { KubeObject } from '../../../api/meta.ts';
import { keyPath } from '../../../api/schema/field-path.ts';
import {
  conflictingScopes,
  isQuotaResource,
  isQuotaScope,
  isStandardResource,
  isValuelessScope,
  requiresIntegerQuota,
  scopeAppliesTo,
} from './quota-names.ts';

export function quotaErrors(quota: KubeObject, old: KubeObject | undefined): FieldError[] {
  const spec = objectAt(quota as JsonValue, 'spec') ?? {};
  const hard = objectAt(spec, 'hard') ?? {};
  const names = sortByBytes(Object.keys(hard));
  return [
    ...quotaAmountErrors('spec.hard', hard),
    ...boundedErrors(scopeErrors(textsAt(spec, 'scopes'), names)),
    ...boundedErrors(selectorErrors(spec, names)),
    ...(old === undefined ? [] : changeErrors(spec, objectAt(old as JsonValue, 'spec') ?? {})),
  ];
}

/** Returns the errors of a map from resource names to quantities, such as `spec.hard`. */
export function quotaAmountErrors(path: string, amounts: JsonObject): FieldError[] {
  return boundedErrors(amountErrors(path, amounts));
}

function* amountErrors(path: string, amounts: JsonObject): Generator<FieldError> {
  for (const name of Object.keys(amounts)) {
    for (const fault of nameFaults(name)) yield invalid(keyPath(path, name), name, fault);
    yield* valueErrors(keyPath(path, name), name, textAt(amounts, name));
  }
}

function nameFaults(name: string): string[] {
  const faults = qualifiedNameFaults(name);
  if (name.includes('/')) return faults;
  if (faults.length === 0 && !isStandardResource(name)) {
    faults.push('must be a standard resource type or fully qualified');
  }
  return isQuotaResource(name) ? faults : [...faults, 'must be a standard resource for quota'];
}

function valueErrors(path: string, name: string, text: string): FieldError[] {
  const quantity = parseQuantity(text);
  const errors: FieldError[] = [];
  if (quantity.billionths < 0n) errors.push(invalid(path, text, 'must be greater than or equal to 0'));
  if (requiresIntegerQuota(name) && !isWholeQuantity(quantity)) errors.push(invalid(path, text, 'must be an integer'));
  return errors;
}

/** Returns the errors of the scopes. `names` are the resources that the quota limits. */
function* scopeErrors(scopes: readonly string[], names: readonly string[]): Generator<FieldError> {
  const field = 'spec.scopes';
  const shown = [...scopes];
  const misfits = misfitCounter(names);
  for (const scope of scopes) {
    if (!isQuotaScope(scope)) yield invalid(field, shown, 'unsupported scope');
    for (let left = misfits(scope); left > 0; left--) {
      yield invalid(field, shown, 'unsupported scope applied to resource');
    }
  }
  for (const _ of conflicts(scopes)) yield invalid(field, shown, 'conflicting scopes');
}

/**
 * Returns a function that, for a scope, counts the given resources that a quota with this scope cannot limit. The count
 * is computed once per scope.
 */
function misfitCounter(names: readonly string[]): (scope: string) => number {
  const counts = new Map<string, number>();
  return (scope) => {
    if (!isQuotaScope(scope)) return 0;
    const count = counts.get(scope) ?? names.filter((name) => !scopeAppliesTo(scope, name)).length;
    counts.set(scope, count);
    return count;
  };
}

function conflicts(scopes: readonly string[]) {
  return conflictingScopes.filter((pair) => pair.every((scope) => scopes.includes(scope)));
}

const onlyExists =
  "must be 'Exists' when scope is any of ResourceQuotaScopeTerminating, ResourceQuotaScopeNotTerminating, ResourceQuotaScopeBestEffort, ResourceQuotaScopeNotBestEffort or ResourceQuotaScopeCrossNamespacePodAffinity";

function* selectorErrors(spec: JsonObject, names: readonly string[]): Generator<FieldError> {
  const field = 'spec.scopeSelector.matchExpressions';
  const expressions = listAt(spec, 'scopeSelector', 'matchExpressions');
  const scopes = expressions.map((expression) => textAt(expression, 'scopeName'));
  const misfits = misfitCounter(names);
  for (const expression of expressions) {
    const scope = textAt(expression, 'scopeName');
    const operator = textAt(expression, 'operator');
    if (!isQuotaScope(scope)) yield invalid(`${field}.scopeName`, scope, 'unsupported scope');
    for (let left = misfits(scope); left > 0; left--) yield misfitError(field, expressions);
    if (isValuelessScope(scope) && operator !== 'Exists') yield invalid(`${field}.operator`, operator, onlyExists);
    yield* operatorErrors(field, operator, [...textsAt(expression, 'values')]);
  }
  const shown = textsAt(spec, 'scopes');
  for (const _ of conflicts(scopes)) {
    yield invalid(field, shown.length === 0 ? null : [...shown], 'conflicting scopes');
  }
}

/**
 * Returns the error for a selector with an unsupported scope. Like Kubernetes, it prints the selector as a Go struct.
 */
function misfitError(field: string, expressions: readonly JsonValue[]): FieldError {
  const selector = {
    MatchExpressions: expressions.map((expression) => {
      const values = textsAt(expression, 'values');
      return {
        ScopeName: textAt(expression, 'scopeName'),
        Operator: textAt(expression, 'operator'),
        Values: values.length === 0 ? null : [...values],
      };
    }),
  };
  const shown = writeJson(selector, { sorted: false });
  return {
    type: 'FieldValueInvalid',
    field,
    message: `Invalid value: ${shown}: unsupported scope applied to resource`,
  };
}

function operatorErrors(field: string, operator: string, values: string[]): FieldError[] {
  switch (operator) {
    case 'In':
    case 'NotIn':
      if (values.length > 0) return [];
      return [
        required(`${field}.values`, "must be at least one value when `operator` is 'In' or 'NotIn' for scope selector"),
      ];
    case 'Exists':
    case 'DoesNotExist':
      if (values.length === 0) return [];
      return [
        invalid(
          `${field}.values`,
          values,
          "must be no value when `operator` is 'Exist' or 'DoesNotExist' for scope selector",
        ),
      ];
    default:
      return [invalid(`${field}.operator`, operator, 'not a valid selector operator')];
  }
}

function changeErrors(spec: JsonObject, old: JsonObject): FieldError[] {
  const sorted = (from: JsonObject) => sortByBytes([...new Set(textsAt(from, 'scopes'))]);
  if (equalJson(sorted(spec), sorted(old))) return [];
  const scopes = textsAt(spec, 'scopes');
  return [invalid('spec.scopes', scopes.length === 0 ? null : [...scopes], 'field is immutable')];
}
