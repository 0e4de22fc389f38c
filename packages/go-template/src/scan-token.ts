export type TokenType =
  | 'field'
  | 'variable'
  | 'identifier'
  | 'string'
  | 'number'
  | 'character'
  | 'dot'
  | 'open'
  | 'close'
  | 'pipe'
  | 'comma'
  | 'declare'
  | 'assign'
  | 'space';

export interface Token {
  readonly type: TokenType;
  /** The source text of the token, as written in the template. */
  readonly text: string;
  readonly offset: number;
}

const number =
  /[+-]?(?:0[xX][0-9a-fA-F_]+|0[oO]?[0-7_]+(?![.\d])|0[bB][01_]+|(?:\d[\d_]*\.?[\d_]*|\.\d+)(?:[eE][+-]?\d+)?)/y;
/** The characters of names: letters, digits and underscores of any script, as in Go. */
const name = /[\p{L}_][\p{L}\p{Nd}_]*/uy;

const typeByCharacter: ReadonlyMap<string, TokenType> = new Map<string, TokenType>([
  ...[...' \t\r\n'].map((character) => [character, 'space'] as const),
  ...[...'+-0123456789'].map((character) => [character, 'number'] as const),
  ['$', 'variable'],
  ['"', 'string'],
  ['`', 'string'],
  ["'", 'character'],
  [':', 'declare'],
  ['=', 'assign'],
  ['|', 'pipe'],
  [',', 'comma'],
  ['(', 'open'],
  [')', 'close'],
]);

/** Returns the token at an offset; `undefined` if no token starts there or if it is not terminated. */
export function tokenAt(template: string, offset: number): Token | undefined {
  const type = typeAt(template, offset);
  const end = tokenEnd(template, type, offset);
  return end === undefined ? undefined : { type, text: template.slice(offset, end), offset };
}

/** Returns the only type that a token with this first character can have. */
function typeAt(template: string, offset: number): TokenType {
  const character = template[offset] ?? '';
  if (character !== '.') return typeByCharacter.get(character) ?? 'identifier';
  if (isDigit(template.charCodeAt(offset + 1))) return 'number';
  return nameEnd(template, offset + 1) === undefined ? 'dot' : 'field';
}

function tokenEnd(template: string, type: TokenType, offset: number): number | undefined {
  switch (type) {
    case 'space':
      return spaceEnd(template, offset);
    case 'number':
      return matchEnd(number, template, offset);
    case 'field':
      return nameEnd(template, offset + 1);
    case 'variable':
      return nameEnd(template, offset + 1) ?? offset + 1;
    case 'identifier':
      return nameEnd(template, offset);
    case 'string':
    case 'character':
      return template[offset] === '`' ? rawEnd(template, offset) : quotedEnd(template, offset);
    case 'declare':
      return template[offset + 1] === '=' ? offset + 2 : undefined;
    default:
      return offset + 1;
  }
}

function matchEnd(pattern: RegExp, text: string, offset: number): number | undefined {
  pattern.lastIndex = offset;
  return pattern.test(text) ? pattern.lastIndex : undefined;
}

function spaceEnd(text: string, offset: number): number {
  let end = offset;
  while (isSpace(text.charCodeAt(end))) end++;
  return end;
}

/** Returns the offset after a name; `undefined` if there is none. The pattern is used only for names beyond ASCII. */
function nameEnd(text: string, offset: number): number | undefined {
  let end = offset;
  let code = text.charCodeAt(end);
  while (isAsciiLetter(code) || (end > offset && isDigit(code))) code = text.charCodeAt(++end);
  if (code > 0x7f) return matchEnd(name, text, offset);
  return end === offset ? undefined : end;
}

function isAsciiLetter(code: number): boolean {
  return (code >= 0x61 && code <= 0x7a) || (code >= 0x41 && code <= 0x5a) || code === 0x5f;
}

function isDigit(code: number): boolean {
  return code >= 0x30 && code <= 0x39;
}

export function isSpace(code: number): boolean {
  return code === 0x20 || code === 0x09 || code === 0x0d || code === 0x0a;
}

/**
 * Returns the offset after a literal in quotes; `undefined` if the literal does not end in the line in which it starts.
 */
function quotedEnd(text: string, offset: number): number | undefined {
  const quote = text.charCodeAt(offset);
  for (let at = offset + 1; at < text.length; at++) {
    const code = text.charCodeAt(at);
    if (code === quote) return at + 1;
    const isEscape = code === 0x5c;
    if (code === 0x0a || (isEscape && text.charCodeAt(at + 1) === 0x0a)) return undefined;
    if (isEscape) at++;
  }
  return undefined;
}

function rawEnd(text: string, offset: number): number | undefined {
  const end = text.indexOf('`', offset + 1);
  return end === -1 ? undefined : end + 1;
}
