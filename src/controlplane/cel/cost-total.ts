import { type FieldError, forbiddenField } from '../../api/field-error.ts';
import { MOST } from './span.ts';

/** The most that one rule can be estimated to cost, all its values in an object together. */
export const RULE_COST_LIMIT = 10_000_000;
/** The most that all rules of a schema can. */
const SCHEMA_COST_LIMIT = 100_000_000;
/** So many of the dearest rules are named, if they are at least a hundredth of what is allowed. */
const NAMED = 4;

/** Adds up what the rules of a schema can cost. */
export class CostTotal {
  #total = 0;
  #dearest: { readonly path: string; readonly cost: number }[] = [];

  add(path: string, cost: number): void {
    this.#total = Math.min(MOST, this.#total + cost);
    if (cost < SCHEMA_COST_LIMIT / 100) return;
    this.#dearest = [...this.#dearest, { path, cost }].sort((a, b) => b.cost - a.cost).slice(0, NAMED);
  }

  /** What is wrong with it all, if it is too much. */
  errors(path: string): FieldError[] {
    if (this.#total <= SCHEMA_COST_LIMIT) return [];
    const part = 'contributed to estimated rule cost total exceeding cost limit for entire OpenAPIv3 schema';
    const whole = 'x-kubernetes-validations estimated rule cost total for entire OpenAPIv3 schema';
    return [
      ...this.#dearest.map((one) => forbiddenField(one.path, part)),
      forbiddenField(path, costMessage(whole, this.#total, SCHEMA_COST_LIMIT)),
    ];
  }
}

export function costMessage(name: string, cost: number, limit: number): string {
  const factor = cost / limit;
  const text = factor > 100 ? 'more than 100x' : `${factor.toFixed(factor < 1.5 ? 6 : 1)}x`;
  return `${name} exceeds budget by factor of ${text} (try simplifying the rule, or adding maxItems, maxProperties, and maxLength where arrays, maps, and strings are declared)`;
}
