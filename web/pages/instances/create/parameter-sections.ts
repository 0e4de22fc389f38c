import type { TemplateParameter } from '../../../../src/api/management/v1/template-definition.ts';

export interface ParameterSection {
  /** The title of the section; '' for parameters without a section. */
  readonly section: string;
  readonly members: readonly TemplateParameter[];
}

/** Groups parameters by section, in the order of the template. Parameters without a section come first. */
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

/** Returns the constraints and the default of a parameter as text; '' if it has neither. */
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
        ? 'A default is set.'
        : type === 'boolean'
          ? `Default: ${defaultValue.toLowerCase() === 'true' ? 'on' : 'off'}.`
          : `Default: ${defaultValue}.`;
  const need = required === true && defaultValue === '' ? 'Required.' : '';
  return [need, limits, fallback].filter(Boolean).join(' ');
}

/** Joins texts with spaces, and ends each text except the last one with a full stop. */
export function joinSentences(...texts: readonly string[]): string {
  const sentences = texts.map((text) => text.trim()).filter((text) => text !== '');
  return sentences
    .map((text, at) => (at === sentences.length - 1 || /[\p{P}]$/u.test(text) ? text : `${text}.`))
    .join(' ');
}
