import type { Schema } from '../../api/schema/schema.ts';
import { compileValidations, hasRules } from '../validation-rules/compile-validations.ts';
import type { RuleValidator } from '../validation-rules/validation-rules.ts';

/** The rules of a schema, compiled at the first write of an object: most definitions of a plane have no writes. */
export type LazyRules = () => Promise<RuleValidator | undefined>;

/** `undefined` if the schema has no rules. */
export function lazyRules(schema: Schema): LazyRules | undefined {
  if (!hasRules(schema)) return undefined;
  return async () => (await compileValidations(schema)).validator;
}
