import { executeTemplate } from './execute.ts';
import { isFunction } from './functions.ts';
import { parseTemplate } from './parse.ts';
import { TemplateError } from './template-error.ts';
import type { Value } from './values.ts';

/**
 * Renders a template in the syntax of Go's `text/template`, with the common functions of Sprig. `values` is the value
 * of `.` and `$`. An unknown function, field or variable is an error. Throws TemplateError with the position.
 */
export function renderGoTemplate(text: string, values: Value): string {
  if (!text.includes('{{')) return text;
  return executeTemplate(parseTemplate(text, isFunction), values);
}

/** Returns the syntax error of a template; `undefined` if it can be parsed. */
export function templateSyntaxError(text: string): TemplateError | undefined {
  try {
    parseTemplate(text, isFunction);
    return undefined;
  } catch (error) {
    if (error instanceof TemplateError) return error;
    throw error;
  }
}
