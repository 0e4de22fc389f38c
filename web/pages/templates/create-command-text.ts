import type { TemplateParameter } from '../../../src/api/management/v1/template-definition.ts';
import type { TemplateType } from '../../data/template-types.ts';

/**
 * Returns the command that creates an instance from a template. The command sets each required parameter to the first
 * allowed value, or to a placeholder that the user replaces.
 */
export function createCommandText(
  { createCommand }: Pick<TemplateType, 'createCommand'>,
  template: string,
  parameters: readonly TemplateParameter[],
): string {
  const sets = parameters
    .filter(({ required, defaultValue = '' }) => required === true && defaultValue === '')
    .map(({ variable, options: [first] = [] }) => ` --set ${shellQuote(`${variable}=${first ?? `<${variable}>`}`)}`);
  return `${createCommand} demo --template ${template}${sets.join('')}`;
}

/** Quotes a word for POSIX shells if it contains characters that a shell interprets. */
function shellQuote(text: string): string {
  return /^[A-Za-z0-9_./:@%+=,-]+$/.test(text) ? text : `'${text.replaceAll("'", `'\\''`)}'`;
}
