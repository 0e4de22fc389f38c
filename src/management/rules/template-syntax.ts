import { createSyntaxMeter, templateSyntaxError } from '@flotilla/go-template';
import { isJsonObject, type JsonValue } from '@flotilla/json';
import { WorkLimitError, type WorkMeter } from '@flotilla/work-meter';
import { type FieldError, invalid } from '../../api/field-error.ts';
import { childPath, indexPath, keyPath } from '../../api/schema/field-path.ts';

/**
 * Checks the template expressions in the strings of definitions. One limit of work applies to all strings together.
 * When a string exceeds the limit, the strings after it are not checked.
 */
export class TemplateSyntaxCheck {
  readonly #meter: WorkMeter = createSyntaxMeter();
  #isOverLimit = false;

  /** Returns the syntax errors of a definition, each with its position in the string. */
  errors(value: JsonValue | undefined, field: string): FieldError[] {
    if (this.#isOverLimit) return [];
    if (typeof value === 'string') return this.#textErrors(value, field);
    if (Array.isArray(value)) return value.flatMap((item, index) => this.errors(item, indexPath(field, index)));
    if (!isJsonObject(value)) return [];
    return Object.entries(value).flatMap(([name, member]) => this.errors(member, memberPath(field, name)));
  }

  #textErrors(text: string, field: string): FieldError[] {
    const fault = templateSyntaxError(text, this.#meter);
    if (fault === undefined) return [];
    this.#isOverLimit = fault.cause instanceof WorkLimitError;
    return [invalid(field, '', `invalid template: ${fault.message}`)];
  }
}

/** Returns the path of a member. Keys of labels and annotations are put in brackets. */
function memberPath(field: string, name: string): string {
  return /^[A-Za-z]\w*$/.test(name) ? childPath(field, name) : keyPath(field, name);
}
