import type { FieldError } from '../../api/field-error.ts';
import type { Schema } from '../../api/schema/schema.ts';
import type { JsonValue } from '../../lib/json-value.ts';

/** What all rules of one object may cost together, in Kubernetes' units: about a second of its time. */
export const OBJECT_COST_BUDGET = 10_000_000;

/** What one evaluation of one expression may cost. */
export const CALL_COST_LIMIT = 1_000_000;

export interface RuleRun {
  /** The stored object before an update; absent on create: transition rules are not asked. */
  readonly old?: JsonValue;
  /** Absent: OBJECT_COST_BUDGET. */
  readonly budget?: number;
  /** Told of errors that are forgiven because the value is as it was (ratcheting). */
  readonly warn?: (text: string) => void;
  /** Waited for between rules, when some of the budget is spent: others get their turn at the processor. */
  readonly turn?: () => Promise<void>;
}

/**
 * The rules of a schema, ready to be asked. Only call it with an object that the schema itself finds valid. Errors come
 * in the order of the object's members; paths begin at the object.
 */
export interface RuleValidator {
  validate(object: JsonValue, run?: RuleRun): Promise<FieldError[]>;
}

/** What became of the rules of a schema. */
export interface CompiledValidations {
  /**
   * What is wrong with the rules themselves, with paths below the schema's: a definition with such errors is refused.
   * What `x-kubernetes-validations` says besides its expressions is not looked at here.
   */
  readonly errors: readonly FieldError[];
  /** Absent: there are no rules. A rule of a stored definition that does not compile refuses every object. */
  readonly validator?: RuleValidator;
}

/**
 * Compiles the rules of a schema, that of a whole resource; `path` is where it stands. `old` is what the schema was
 * before, if it was there: rules that it has already are not held against the limits of estimated cost. A schema that is
 * given again (the same object) is not compiled again.
 */
export type CompileValidations = (schema: Schema, path?: string, old?: Schema) => Promise<CompiledValidations>;
