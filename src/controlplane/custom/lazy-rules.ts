import type { Schema } from '../../api/schema/schema.ts';
import { compileValidations, hasRules } from '../validation-rules/compile-validations.ts';
import type { RuleValidator } from '../validation-rules/validation-rules.ts';

/**
 * Returns the CEL rules of a schema. The rules are compiled at the first write of an object, because the objects of
 * many kinds are never written.
 */
export type LazyRules = () => Promise<RuleValidator | undefined>;

/** Returns the function that compiles the rules, `undefined` if the schema has no rules. */
export function lazyRules(schema: Schema): LazyRules | undefined {
  if (!hasRules(schema)) return undefined;
  return async () => (await compileValidations(schema)).validator;
}
