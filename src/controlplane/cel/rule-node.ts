import type { Schema, ValidationRule } from '../../api/schema/schema.ts';
import type { Program } from './compile-expression.ts';

/** A rule that is ready to be asked. */
export interface CompiledRule {
  readonly rule: ValidationRule;
  /** Why it cannot be asked. Definitions with such rules are refused; those that were stored all the same refuse objects. */
  readonly fault?: string;
  readonly program?: Program;
  readonly message?: Program;
  readonly usesOld: boolean;
  /** Where its errors belong, below the value that it is about. */
  readonly fieldPath?: string;
}

/** The rules of a schema and of the schemas in it. */
export interface RuleNode {
  readonly schema: Schema;
  readonly root: boolean;
  readonly rules: readonly CompiledRule[];
  readonly properties: ReadonlyMap<string, RuleNode>;
  readonly values?: RuleNode;
  readonly items?: RuleNode;
  readonly allOf: readonly RuleNode[];
}
