import type { JsonObject, JsonValue } from '@flotilla/json';
import { type FieldError, invalid } from '../../../../api/field-error.ts';
import { numberOf, textOf } from '../checks.ts';
import { isPercent, tooLargePercentErrors, wholeOrPercentErrors } from '../field-rules.ts';

/**
 * Returns an amount or percentage as a number. A text that is not a percentage is invalid: it counts as the integer
 * that it contains, or as 0.
 */
export function amountOf(value: JsonValue | undefined): number {
  if (typeof value !== 'string') return numberOf(value);
  if (isPercent(value)) return Number(value.slice(0, -1));
  return /^[+-]?[0-9]+$/.test(value) ? Number(value) : 0;
}

/** Returns the errors of amounts. Kubernetes checks all amounts before it checks percentages (`percentErrors`). */
export function amountErrors(update: JsonObject, path: string, members: readonly string[]): FieldError[] {
  return members.flatMap((name) => wholeOrPercentErrors(`${path}.${name}`, update[name] ?? 0));
}

export function percentErrors(update: JsonObject, path: string, members: readonly string[]): FieldError[] {
  return members.flatMap((name) => tooLargePercentErrors(`${path}.${name}`, update[name] ?? 0));
}

export function zeroAmountError(path: string, value: JsonValue | undefined, detail: string): FieldError {
  return invalid(path, value ?? 0, detail);
}

/** Returns an update strategy with the member names of Kubernetes' internal struct, which error messages contain. */
export function internalStrategy(strategy: JsonObject, rollingUpdate: JsonObject | null): JsonObject {
  return { Type: textOf(strategy.type), RollingUpdate: rollingUpdate };
}
