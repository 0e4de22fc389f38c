import type { FieldError } from '../field-error.ts';

/**
 * What one validation may take: a step is a schema that is held against a value, about half a microsecond. An object has
 * far fewer values than this, so only conditions within conditions come near it.
 */
const mostSteps = 250_000;

/** Of all that is said to be wrong, together. */
const mostCharacters = 1_000_000;

/** What is done of each in the time of a step. */
const perStep = { choices: 20, characters: 4, instructions: 0.4 };

/** The value cannot be held against its schema in any time that others could wait for. */
class TooMuchToValidate extends Error {}

interface Left {
  steps: number;
  characters: number;
}

let left: Left | undefined;

/**
 * Does a validation within those limits: schemas come from clients as values do, and one client's combination of the
 * two must not keep everybody waiting or fill the memory with messages. Within another it shares its limits. One counter
 * is enough for all, as a validation never waits. What is beyond the limits is wrong with the whole value at `path`.
 */
export function withinLimits(path: string, validate: () => FieldError[]): FieldError[] {
  if (left !== undefined) return validate();
  left = { steps: mostSteps, characters: mostCharacters };
  try {
    return validate();
  } catch (error) {
    if (!(error instanceof TooMuchToValidate)) throw error;
    return [{ type: 'FieldValueInvalid', field: path, message: `Invalid value: ${error.message}` }];
  } finally {
    left = undefined;
  }
}

/** A schema is held against a value, which is one of so many choices. */
export function countStep(choices = 0): void {
  count(1 + choices / perStep.choices);
}

/** A text is held against a pattern. */
export function countMatch(text: string): void {
  count(text.length / perStep.characters);
}

/** A pattern was compiled into so many instructions: `a{1000}` is a thousand. */
export function countPattern(instructions: number): void {
  count(instructions / perStep.instructions);
}

function count(steps: number): void {
  if (left === undefined) return;
  left.steps -= steps;
  if (left.steps < 0) throw new TooMuchToValidate('too complex: its conditions and patterns take too long to check');
}

/** Adds what is wrong to the rest of it. */
export function tell(errors: FieldError[], error: FieldError): void {
  errors.push(error);
  if (left === undefined) return;
  left.characters -= error.field.length + error.message.length;
  if (left.characters < 0) throw new TooMuchToValidate('too much is wrong with it to tell all of it');
}

/** Looks at one of several conditions. What is wrong by it counts once it is told, which most of it never is. */
export function tryOut(look: (found: FieldError[]) => void): FieldError[] {
  const found: FieldError[] = [];
  const before = left?.characters ?? 0;
  look(found);
  if (left !== undefined) left.characters = before;
  return found;
}
