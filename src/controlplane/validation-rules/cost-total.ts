import { MAX_VALUE } from '@flotilla/cel';
import { type FieldError, forbiddenField } from '../../api/field-error.ts';

/** The maximum estimated cost of one rule, for all of its values in an object together. */
export const RULE_COST_LIMIT = 10_000_000;
/** The maximum estimated cost of all rules of a schema. */
const SCHEMA_COST_LIMIT = 100_000_000;
/** The number of most expensive rules that errors name, if each takes at least one percent of the limit. */
const MAX_NAMED_RULES = 4;

/** The total estimated cost of the rules of a schema. */
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

  /** The errors if the total exceeds the limit. */
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
