import { MAX_VALUE } from '@flotilla/cel';
import { type FieldError, forbiddenField } from '../../api/field-error.ts';

/** The maximum estimated cost of one validation rule, summed over all values in an object that the rule applies to. */
export const RULE_COST_LIMIT = 10_000_000;
/** The maximum estimated cost of all validation rules of a schema together. */
const SCHEMA_COST_LIMIT = 100_000_000;
/**
 * The maximum number of rules that the errors name if the total exceeds its limit. The errors name the most expensive
 * rules. A rule below one percent of the limit is never named.
 */
const MAX_NAMED_RULES = 4;

/** Adds up the estimated costs of the validation rules of a schema. */
export class CostTotal {
  #total = 0;
  #mostExpensive: { readonly path: string; readonly cost: number }[] = [];

  add(path: string, cost: number): void {
    this.#total = Math.min(MAX_VALUE, this.#total + cost);
    if (cost < SCHEMA_COST_LIMIT / 100) return;
    this.#mostExpensive = [...this.#mostExpensive, { path, cost }]
      .sort((a, b) => b.cost - a.cost)
      .slice(0, MAX_NAMED_RULES);
  }

  /** Returns the errors for a schema whose total cost exceeds the limit, otherwise an empty list. */
  errors(path: string): FieldError[] {
    if (this.#total <= SCHEMA_COST_LIMIT) return [];
    const part = 'contributed to estimated rule cost total exceeding cost limit for entire OpenAPIv3 schema';
    const whole = 'x-kubernetes-validations estimated rule cost total for entire OpenAPIv3 schema';
    return [
      ...this.#mostExpensive.map((one) => forbiddenField(one.path, part)),
      forbiddenField(path, costMessage(whole, this.#total, SCHEMA_COST_LIMIT)),
    ];
  }
}

export function costMessage(name: string, cost: number, limit: number): string {
  const factor = cost / limit;
  const text = factor > 100 ? 'more than 100x' : `${factor.toFixed(factor < 1.5 ? 6 : 1)}x`;
  return `${name} exceeds budget by factor of ${text} (try simplifying the rule, or adding maxItems, maxProperties, and maxLength where arrays, maps, and strings are declared)`;
}
