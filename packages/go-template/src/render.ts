import type { WorkMeter } from '@flotilla/work-meter';
import { executeTemplate } from './execute.ts';
import { isFunction } from './functions.ts';
import { checkTemplateSyntax, parseTemplate } from './parse.ts';
import { TemplateError } from './template-error.ts';
import { createSyntaxMeter, createTemplateMeter, TemplateWork } from './template-work.ts';
import type { Value } from './values.ts';

/**
 * Renders a template in the syntax of Go's `text/template`, with the common functions of Sprig. `values` is the value
 * of `.` and `$`. An unknown function, field or variable is an error. Throws TemplateError with the position. Pass one
 * meter to several renderings to apply the limit to their total work.
 */
export function renderGoTemplate(text: string, values: Value, meter: WorkMeter = createTemplateMeter()): string {
  if (!text.includes('{{')) return text;
  const work = new TemplateWork(meter);
  return executeTemplate(parseTemplate(text, isFunction, work), values, work);
}

/**
 * Returns the syntax error of a template; `undefined` if it can be parsed. Pass one meter to several checks to limit
 * their total work. If the work exceeds the limit, `cause` of the error is the WorkLimitError.
 */
export function templateSyntaxError(text: string, meter: WorkMeter = createSyntaxMeter()): TemplateError | undefined {
  if (!text.includes('{{')) return undefined;
  try {
    checkTemplateSyntax(text, isFunction, new TemplateWork(meter));
    return undefined;
  } catch (error) {
    if (error instanceof TemplateError) return error;
    throw error;
  }
}
