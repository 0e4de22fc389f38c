import type { FieldError } from './field-error.ts';

export const maxErrors = 1_000;
const maxCharacters = 1024 * 1024;

/**
 * Collects validation errors up to a limit, because nobody reads more. Each error quotes the wrong value, so the errors
 * of a value with many wrong parts could otherwise be much longer than the value. Further errors are silently dropped;
 * they appear after the reported ones are corrected. Kubernetes does not limit errors.
 */
export function boundedErrors(errors: Iterable<FieldError>): FieldError[] {
  const collected: FieldError[] = [];
  let characters = 0;
  for (const error of errors) {
    collected.push(error);
    characters += error.field.length + error.message.length;
    if (collected.length >= maxErrors || characters >= maxCharacters) break;
  }
  return collected;
}
