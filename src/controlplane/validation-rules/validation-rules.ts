import type { JsonValue } from '@flotilla/json';
import type { FieldError } from '../../api/field-error.ts';
import type { Schema } from '../../api/schema/schema.ts';

/** The cost budget for validating one object with all rules, in Kubernetes' cost units: about one second. */
export const OBJECT_COST_BUDGET = 10_000_000;

export interface RuleRun {
  /** The stored object before an update. Absent on create; transition rules (rules with `oldSelf`) are then skipped. */
  readonly old?: JsonValue;
  /** The cost budget. Optional; defaults to OBJECT_COST_BUDGET. */
  readonly budget?: number;
  /** Called with the text of each error that is tolerated because its value is unchanged (ratcheting). */
  readonly warn?: (text: string) => void;
  /** Awaited each time rules have used up another share of the budget, so that other requests get processor time. */
  readonly nextTimeSlice?: () => Promise<void>;
}

/**
 * The compiled rules of a schema. `validate` expects an object that matches the schema. It returns errors in the order
 * of the object's members, with paths relative to the object.
 */
export interface RuleValidator {
  validate(object: JsonValue, run?: RuleRun): Promise<FieldError[]>;
}

/** The result of compiling the rules of a schema. */
export interface CompiledValidations {
  /**
   * The errors of the rules themselves. With these errors, the definition is rejected. Their paths include the path of
   * the schema. Parts of the schema other than `x-kubernetes-validations` are not checked.
   */
  readonly errors: readonly FieldError[];
  /** Absent if the schema has no rules. A rule that does not compile makes `validate` reject every object. */
  readonly validator?: RuleValidator;
}

/**
 * Compiles the validation rules of a resource's schema. `path` is the path of the schema in its definition. `old` is
 * the previous schema; the limits of estimated cost do not apply to rules that it contains. Results are cached by
 * schema object.
 */
export type CompileValidations = (schema: Schema, path?: string, old?: Schema) => Promise<CompiledValidations>;
