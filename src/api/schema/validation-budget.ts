import type { FieldError } from '../field-error.ts';

/**
 * The maximum number of steps of one validation. A step applies one schema to one value and takes about half a
 * microsecond. Objects have far fewer values than this, so only nested combinations (anyOf, oneOf) reach the limit.
 */
const maxSteps = 250_000;

/** The maximum number of characters in all error messages of one validation. */
const maxCharacters = 1_000_000;

/**
 * The amounts of other work that count as one step, because they take as long: comparisons with allowed values of an
 * enum, and units of work for compiling and matching regular expressions.
 */
const perStep = { choices: 20, patternUnits: 50 };

/** Thrown if a validation exceeds its budget, because it would block other requests for too long. */
class ValidationBudgetExceeded extends Error {}

interface Budget {
  steps: number;
  characters: number;
}

let budget: Budget | undefined;

/**
 * Runs a validation with limits on the time and on the length of the error messages, because clients supply both the
 * schemas and the values. If a limit is exceeded, the result is only one error, for the whole value at `path`. Nested
 * calls share the budget of the outer call. The budget can be a global variable, because a validation never awaits.
 */
export function withValidationBudget(path: string, validate: () => FieldError[]): FieldError[] {
  if (budget !== undefined) return validate();
  budget = { steps: maxSteps, characters: maxCharacters };
  try {
    return validate();
  } catch (error) {
    if (!(error instanceof ValidationBudgetExceeded)) throw error;
    return [{ type: 'FieldValueInvalid', field: path, message: `Invalid value: ${error.message}` }];
  } finally {
    budget = undefined;
  }
}

/** Charges one step for applying a schema to a value, plus the comparisons with `choices` allowed values. */
export function chargeStep(choices = 0): void {
  count(1 + choices / perStep.choices);
}

/** Charges units of work for compiling or matching a regular expression. Must be called before the work. */
export function chargePatternWork(units: number): void {
  count(units / perStep.patternUnits);
}

function count(steps: number): void {
  if (budget === undefined) return;
  budget.steps -= steps;
  if (budget.steps < 0)
    throw new ValidationBudgetExceeded('too complex: its conditions and patterns take too long to evaluate');
}

/** Adds an error to the list and charges its length to the budget. */
export function addError(errors: FieldError[], error: FieldError): void {
  errors.push(error);
  if (budget === undefined) return;
  budget.characters -= error.field.length + error.message.length;
  if (budget.characters < 0) throw new ValidationBudgetExceeded('too many validation errors to report');
}

/**
 * Validates a value against one of several alternatives. The length of the errors is not charged to the budget unless
 * the caller reports them, which is rare.
 */
export function collectAlternativeErrors(validate: (found: FieldError[]) => void): FieldError[] {
  const found: FieldError[] = [];
  const before = budget?.characters ?? 0;
  validate(found);
  if (budget !== undefined) budget.characters = before;
  return found;
}
