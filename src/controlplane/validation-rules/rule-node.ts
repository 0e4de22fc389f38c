import type { Program } from '@flotilla/cel';
import type { Schema, ValidationRule } from '../../api/schema/schema.ts';

/** A rule that is ready to be evaluated. */
export interface CompiledRule {
  readonly rule: ValidationRule;
  /**
   * The reason why the rule cannot be evaluated. Definitions with such rules are refused; one that is stored already
   * refuses all objects.
   */
  readonly fault?: string;
  readonly program?: Program;
  readonly message?: Program;
  readonly usesOldSelf: boolean;
  /** The path of its errors, relative to the value. */
  readonly fieldPath?: string;
}

/** The rules of a schema and of the schemas inside it. */
export interface RuleNode {
  readonly schema: Schema;
  readonly root: boolean;
  readonly rules: readonly CompiledRule[];
  readonly properties: ReadonlyMap<string, RuleNode>;
  readonly values?: RuleNode;
  readonly items?: RuleNode;
  readonly allOf: readonly RuleNode[];
}
