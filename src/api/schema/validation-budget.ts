import type { FieldError } from '../field-error.ts';

/**
 * The budget of one validation. A step applies one schema to one value and takes about half a microsecond. An object
 * has far fewer values than this, so only nested combinations come near the limit.
 */
const maxSteps = 250_000;

/** Limit for all error messages together. */
const maxCharacters = 1_000_000;

/** Amount of each kind of work that takes as long as one step. */
const perStep = { choices: 20, characters: 4, instructions: 0.4 };

/** Validating the value against its schema would block other requests for too long. */
class ValidationBudgetExceeded extends Error {}

interface Budget {
  steps: number;
  characters: number;
}

let budget: Budget | undefined;

/**
 * Runs a validation within the budget. Clients supply both schemas and values, and a combination of the two must not
 * block other requests or fill the memory with error messages. A nested call shares the budget of the outer one. One
 * global counter suffices because a validation never awaits. A validation that exceeds the budget reports one error for
 * the whole value at `path`.
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

/** Charges one step for applying a schema to a value, which is compared with this number of choices. */
export function chargeStep(choices = 0): void {
  count(1 + choices / perStep.choices);
}

/** Charges the match of a text against a pattern. */
export function chargeMatch(text: string): void {
  count(text.length / perStep.characters);
}

/** Charges the compilation of a pattern with this number of instructions: `a{1000}` has a thousand. */
export function chargePattern(instructions: number): void {
  count(instructions / perStep.instructions);
}

function count(steps: number): void {
  if (budget === undefined) return;
  budget.steps -= steps;
  if (budget.steps < 0)
    throw new ValidationBudgetExceeded('too complex: its conditions and patterns take too long to evaluate');
}

/** Adds an error and charges its size. */
export function addError(errors: FieldError[], error: FieldError): void {
  errors.push(error);
  if (budget === undefined) return;
  budget.characters -= error.field.length + error.message.length;
  if (budget.characters < 0) throw new ValidationBudgetExceeded('too many validation errors to report');
}

/** Evaluates one of several alternatives. Its errors are charged only when they are reported, which most never are. */
export function collectAlternativeErrors(validate: (found: FieldError[]) => void): FieldError[] {
  const found: FieldError[] = [];
  const before = budget?.characters ?? 0;
  validate(found);
  if (budget !== undefined) budget.characters = before;
  return found;
}
