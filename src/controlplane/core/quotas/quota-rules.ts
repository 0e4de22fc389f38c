import {
  compareBytes,
  equalJson,
  type JsonObject,
  type JsonValue,
  listAt,
  objectAt,
  textAt,
  textsAt,
  writeJson,
} from '@flotilla/json';
import { isWholeQuantity, parseQuantity, qualifiedNameFaults } from '@flotilla/kubernetes-formats';
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
  return [
    ...quotaAmountErrors('spec.hard', hard),
    ...scopeErrors(textsAt(spec, 'scopes'), hard),
    ...selectorErrors(spec, hard),
    ...(old === undefined ? [] : changeErrors(spec, objectAt(old as JsonValue, 'spec') ?? {})),
  ];
}

/** Returns the errors of a map from resource names to quantities, such as `spec.hard`. */
export function quotaAmountErrors(path: string, amounts: JsonObject): FieldError[] {
  return Object.keys(amounts).flatMap((name) => [
    ...nameFaults(name).map((fault) => invalid(keyPath(path, name), name, fault)),
    ...valueErrors(keyPath(path, name), name, textAt(amounts, name)),
  ]);
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

function scopeErrors(scopes: readonly string[], hard: JsonObject): FieldError[] {
  const field = 'spec.scopes';
  const shown = [...scopes];
  const errors = scopes.flatMap((scope) => [
    ...(isQuotaScope(scope) ? [] : [invalid(field, shown, 'unsupported scope')]),
    ...misfits(scope, hard).map(() => invalid(field, shown, 'unsupported scope applied to resource')),
  ]);
  return [...errors, ...conflicts(scopes).map(() => invalid(field, shown, 'conflicting scopes'))];
}

function misfits(scope: string, hard: JsonObject): string[] {
  return Object.keys(hard)
    .sort(compareBytes)
    .filter((name) => !scopeAppliesTo(scope, name));
}

function conflicts(scopes: readonly string[]) {
  return conflictingScopes.filter((pair) => pair.every((scope) => scopes.includes(scope)));
}

const onlyExists =
  "must be 'Exists' when scope is any of ResourceQuotaScopeTerminating, ResourceQuotaScopeNotTerminating, ResourceQuotaScopeBestEffort, ResourceQuotaScopeNotBestEffort or ResourceQuotaScopeCrossNamespacePodAffinity";

function selectorErrors(spec: JsonObject, hard: JsonObject): FieldError[] {
  const field = 'spec.scopeSelector.matchExpressions';
  const expressions = listAt(spec, 'scopeSelector', 'matchExpressions');
  const scopes = expressions.map((expression) => textAt(expression, 'scopeName'));
  const errors = expressions.flatMap((expression) => {
    const scope = textAt(expression, 'scopeName');
    const operator = textAt(expression, 'operator');
    return [
      ...(isQuotaScope(scope) ? [] : [invalid(`${field}.scopeName`, scope, 'unsupported scope')]),
      ...misfits(scope, hard).map(() => misfitError(field, expressions)),
      ...(isValuelessScope(scope) && operator !== 'Exists' ? [invalid(`${field}.operator`, operator, onlyExists)] : []),
      ...operatorErrors(field, operator, [...textsAt(expression, 'values')]),
    ];
  });
  const shown = textsAt(spec, 'scopes');
  return [
    ...errors,
    ...conflicts(scopes).map(() => invalid(field, shown.length === 0 ? null : [...shown], 'conflicting scopes')),
  ];
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
  const sorted = (from: JsonObject) => [...new Set(textsAt(from, 'scopes'))].sort(compareBytes);
  if (equalJson(sorted(spec), sorted(old))) return [];
  const scopes = textsAt(spec, 'scopes');
  return [invalid('spec.scopes', scopes.length === 0 ? null : [...scopes], 'field is immutable')];
}
