import { type Bindings, CostExceeded, EvaluationError, type Meter, type Program } from '@flotilla/cel';
import type { JsonValue } from '@flotilla/json';
import { duplicate, type FieldError, forbiddenField, invalid, required } from '../../api/field-error.ts';
import type { ValidationRule } from '../../api/schema/schema.ts';

/** The maximum length, in bytes, of a message that a `messageExpression` returns. */
const MAX_MESSAGE_BYTES = 5 * 1024;

/** Returns the text by which error messages identify a rule: its message, or the rule itself if it has none. */
export function ruleText({ rule = '', message = '' }: ValidationRule): string {
  return message === '' ? rule.trim() : message.trim();
}

/** Returns the error for a value that violates a rule. `value` is absent if it is too large for the message. */
export function ruleError(
  rule: ValidationRule,
  path: string,
  value: JsonValue | undefined,
  made: string | undefined,
): FieldError {
  const detail = made ?? ((rule.message ?? '') === '' ? `failed rule: ${ruleText(rule)}` : ruleText(rule));
  switch (rule.reason) {
    case 'FieldValueForbidden':
      return forbiddenField(path, detail);
    case 'FieldValueRequired':
      return required(path, detail);
    case 'FieldValueDuplicate':
      if (value !== undefined) return duplicate(path, value);
      return { type: 'FieldValueDuplicate', field: path, message: 'Duplicate value' };
    default:
      if (value !== undefined) return invalid(path, value, detail);
      return { type: 'FieldValueInvalid', field: path, message: `Invalid value: ${detail}` };
  }
}

/**
 * Evaluates a `messageExpression`. `text` is the resulting message; if it is absent, the result is unusable, and the
 * caller uses the rule's own message. `fatal` is set if the cost budget is exhausted; the caller then evaluates no more
 * rules.
 */
export function evaluateMessage(program: Program, bindings: Bindings, meter: Meter): { text?: string; fatal?: string } {
  let made: unknown;
  try {
    made = program.run(bindings, { meter });
  } catch (error) {
    if (error instanceof CostExceeded) {
      return { fatal: 'no further validation rules will be run due to call cost exceeds limit for messageExpression' };
    }
    if (error instanceof EvaluationError) return {};
    throw error;
  }
  return usableMessage(made);
}

/** Returns the message if it is usable, that is one non-empty line within the length limit. */
export function usableMessage(made: unknown): { text?: string } {
  const text = typeof made === 'string' ? made.trim() : '';
  return text === '' || text.includes('\n') || Buffer.byteLength(text) > MAX_MESSAGE_BYTES ? {} : { text };
}
