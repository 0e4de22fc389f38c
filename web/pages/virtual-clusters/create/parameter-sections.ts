import type { TemplateParameter } from '../../../../src/api/management/v1/template-definition.ts';

export interface ParameterSection {
  /** '': those under no heading. */
  readonly section: string;
  readonly members: readonly TemplateParameter[];
}

/** Under their headings, in the order in which the template has them; those under none come first. */
export function parameterSections(parameters: readonly TemplateParameter[]): readonly ParameterSection[] {
  const sections = new Map<string, TemplateParameter[]>();
  for (const parameter of parameters) {
    const section = parameter.section ?? '';
    const members = sections.get(section);
    if (members === undefined) sections.set(section, [parameter]);
    else members.push(parameter);
  }
  const all = [...sections].map(([section, members]) => ({ section, members }));
  return [...all.filter(({ section }) => section === ''), ...all.filter(({ section }) => section !== '')];
}

/** What a value of the parameter has to be, in words; '' where everything goes. */
export function parameterHint({ type, min, max, defaultValue = '', required }: TemplateParameter): string {
  const [least, most] = [min === undefined ? '' : String(min), max === undefined ? '' : String(max)];
  const limits =
    type !== 'number' || (least === '' && most === '')
      ? ''
      : least === ''
        ? `At most ${most}.`
        : most === ''
          ? `At least ${least}.`
          : `From ${least} to ${most}.`;
  const fallback =
    defaultValue === ''
      ? ''
      : type === 'password'
        ? 'Has a default.'
        : type === 'boolean'
          ? `${defaultValue.toLowerCase() === 'true' ? 'On' : 'Off'} unless you say otherwise.`
          : `${defaultValue} unless you say otherwise.`;
  const need = required === true && defaultValue === '' ? 'Needed.' : '';
  return [need, limits, fallback].filter(Boolean).join(' ');
}

/** One after the other, though a template's author left out the full stop. */
export function asSentences(...texts: readonly string[]): string {
  const said = texts.map((text) => text.trim()).filter((text) => text !== '');
  return said.map((text, at) => (at === said.length - 1 || /[\p{P}]$/u.test(text) ? text : `${text}.`)).join(' ');
}
