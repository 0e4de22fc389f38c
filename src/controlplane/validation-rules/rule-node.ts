import type { Program } from '@flotilla/cel';
import type { Schema, ValidationRule } from '../../api/schema/schema.ts';

/** A validation rule that has been compiled. */
export interface CompiledRule {
  readonly rule: ValidationRule;
  /**
   * The reason why the rule cannot be evaluated. A new definition with this rule is rejected. If the definition is
   * stored already, all objects of its kind are rejected.
   */
  readonly fault?: string;
  readonly program?: Program;
  readonly message?: Program;
  readonly usesOldSelf: boolean;
  /** The path at which errors of this rule are reported, relative to the validated value. */
  readonly fieldPath?: string;
}

/** The compiled rules of a schema and of the schemas nested in it. */
export interface RuleNode {
  readonly schema: Schema;
  readonly root: boolean;
  readonly rules: readonly CompiledRule[];
  readonly properties: ReadonlyMap<string, RuleNode>;
  readonly values?: RuleNode;
  readonly items?: RuleNode;
  readonly allOf: readonly RuleNode[];
}
