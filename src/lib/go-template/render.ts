import { executeTemplate } from './execute.ts';
import { isFunction } from './functions.ts';
import { parseTemplate } from './parse.ts';
import { TemplateError } from './template-error.ts';
import type { Value } from './values.ts';

/**
 * Renders text in the syntax of Go's `text/template`, with the common functions of Sprig. `values` is what `.` and `$`
 * are. What is not known, function, field or variable, is an error. Throws TemplateError, which says where.
 */
export function renderGoTemplate(text: string, values: Value): string {
  if (!text.includes('{{')) return text;
  return executeTemplate(parseTemplate(text, isFunction), values);
}

/** What is wrong with a template whatever its values are; undefined: nothing. */
export function templateFault(text: string): TemplateError | undefined {
  try {
    parseTemplate(text, isFunction);
    return undefined;
  } catch (error) {
    if (error instanceof TemplateError) return error;
    throw error;
  }
}
