import type { JsonValue } from '@flotilla/json';
import type { FieldError } from '../../api/field-error.ts';
import type { Schema } from '../../api/schema/schema.ts';

/** The total cost budget of all rules of one object, in Kubernetes' units: about a second of its time. */
export const OBJECT_COST_BUDGET = 10_000_000;

export interface RuleRun {
  /** The stored object before an update. Absent on create: transition rules are then not evaluated. */
  readonly old?: JsonValue;
  /** Optional; defaults to OBJECT_COST_BUDGET. */
  readonly budget?: number;
  /** Called with errors that are tolerated because the value is unchanged (ratcheting). */
  readonly warn?: (text: string) => void;
  /** Awaited between rules after part of the budget is spent, so that other requests get processor time. */
  readonly nextTimeSlice?: () => Promise<void>;
}

/**
 * The compiled rules of a schema. The object must be valid by the schema itself. Errors are in the order of the
 * object's members; paths start at the object.
 */
export interface RuleValidator {
  validate(object: JsonValue, run?: RuleRun): Promise<FieldError[]>;
}

/** The result of compiling the rules of a schema. */
export interface CompiledValidations {
  /**
   * The errors of the rules themselves, with paths below the schema's: a definition with such errors is refused. Only
   * the expressions of `x-kubernetes-validations` are checked here.
   */
  readonly errors: readonly FieldError[];
  /** Absent if there are no rules. A rule of a stored definition that does not compile refuses every object. */
  readonly validator?: RuleValidator;
}

/**
 * Compiles the rules of the schema of a whole resource; `path` is the path of the schema. `old` is the previous schema,
 * if there was one: the limits of estimated cost do not apply to its rules. The result for the same schema object is
 * cached.
 */
export type CompileValidations = (schema: Schema, path?: string, old?: Schema) => Promise<CompiledValidations>;
