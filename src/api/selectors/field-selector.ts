import { badRequest } from '../status.ts';

/** A parsed field selector (rules SEL-07 to SEL-14). An object must match all requirements. */
export interface FieldSelector {
  readonly requirements: readonly FieldRequirement[];
  /**
   * True if all requirements match. `read` returns the text of a field, or '' if the object does not have the field.
   */
  matches(read: (field: string) => string): boolean;
}

export interface FieldRequirement {
  readonly field: string;
  readonly operator: '=' | '!=';
  readonly value: string;
}

/**
 * Parses a field selector. Throws 400 if the syntax is invalid. Does not check whether the kind supports the fields;
 * `checkSelectorFields` does.
 */
export function parseFieldSelector(text: string): FieldSelector {
  const requirements = splitTerms(text)
    .filter((term) => term !== '')
    .map((term) => parseTerm(term, text));
  return { requirements, matches: compileRequirements(requirements) };
}

/** The combined requirements for one field: its value must equal all values in `equal` and none in `unequal`. */
interface FieldTest {
  readonly equal: Set<string>;
  readonly unequal: Set<string>;
}

/**
 * Compiles the requirements. The compiled function reads each field of an object only once, independently of the number
 * of requirements.
 */
function compileRequirements(requirements: readonly FieldRequirement[]): FieldSelector['matches'] {
  const tests = new Map<string, FieldTest>();
  for (const { field, operator, value } of requirements) {
    const test = tests.get(field) ?? { equal: new Set(), unequal: new Set() };
    (operator === '=' ? test.equal : test.unequal).add(value);
    tests.set(field, test);
  }
  return (read) => {
    for (const [field, { equal, unequal }] of tests) {
      // No value equals two different required values.
      if (equal.size > 1) return false;
      const value = read(field);
      if ((equal.size === 1 && !equal.has(value)) || unequal.has(value)) return false;
    }
    return true;
  };
}

/** Splits the text at commas, except at commas after a backslash. */
function splitTerms(text: string): string[] {
  return text.match(/(?:\\[\s\S]|[^\\,])+\\?|\\$/g) ?? [];
}

function parseTerm(term: string, whole: string): FieldRequirement {
  const match = /^(.*?)(!=|==|=)([\s\S]*)$/s.exec(term);
  if (match === null) throw badRequest(`invalid selector: '${whole}'; can't understand '${term}'`);
  const [, field = '', operator = '', value = ''] = match;
  return { field, operator: operator === '!=' ? '!=' : '=', value: unescapeValue(value) };
}

function unescapeValue(value: string): string {
  let text = '';
  for (let at = 0; at < value.length; at++) {
    const character = value.charAt(at);
    if (character === '\\') {
      const escaped = value.charAt(++at);
      if (escaped === '' || !'\\,='.includes(escaped)) {
        throw badRequest(`invalid field selector: invalid escape sequence: \\${escaped}`);
      }
      text += escaped;
    } else if (character === ',' || character === '=') {
      throw badRequest(`invalid field selector: unescaped character in value: ${character.charCodeAt(0)}`);
    } else {
      text += character;
    }
  }
  return text;
}

/** Returns the value that the selector requires for this field with `=`. `undefined` if it requires none. */
export function requiredFieldValue(selector: FieldSelector | undefined, field: string): string | undefined {
  return selector?.requirements.find((requirement) => requirement.field === field && requirement.operator === '=')
    ?.value;
}
