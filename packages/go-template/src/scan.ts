import { positionAt, TemplateError } from './template-error.ts';

/** A segment of a template: literal text, or an action between `{{` and `}}`. */
export type TemplateSegment =
  | { readonly type: 'text'; readonly text: string }
  | { readonly type: 'action'; readonly tokens: readonly Token[]; readonly offset: number };

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

/**
 * Token patterns. The first match is used. As in Go, names consist of letters, digits and underscores of any script.
 */
const patterns: readonly (readonly [TokenType, RegExp])[] = [
  ['space', /[ \t\r\n]+/y],
  [
    'number',
    /[+-]?(?:0[xX][0-9a-fA-F_]+|0[oO]?[0-7_]+(?![.\d])|0[bB][01_]+|(?:\d[\d_]*\.?[\d_]*|\.\d+)(?:[eE][+-]?\d+)?)/y,
  ],
  ['field', /\.[\p{L}_][\p{L}\p{Nd}_]*/uy],
  ['variable', /\$(?:[\p{L}_][\p{L}\p{Nd}_]*)?/uy],
  ['identifier', /[\p{L}_][\p{L}\p{Nd}_]*/uy],
  ['string', /"(?:[^"\\\n]|\\[^\n])*"|`[^`]*`/y],
  ['character', /'(?:[^'\\\n]|\\[^\n]{1,10})+'/uy],
  ['declare', /:=/y],
  ['assign', /=/y],
  ['pipe', /\|/y],
  ['comma', /,/y],
  ['open', /\(/y],
  ['close', /\)/y],
  ['dot', /\./y],
];

const comment = /\{\{(?:-[ \t\r\n]+)?\/\*[\s\S]*?\*\/(?:[ \t\r\n]+-)?\}\}/y;

/** Splits a template into text and actions. `{{-` and `-}}` remove the adjacent white space. */
export function scan(template: string): TemplateSegment[] {
  const pieces: TemplateSegment[] = [];
  let trimNext = false;
  let at = 0;
  const addText = (end: number, trimEnd: boolean) => {
    let text = template.slice(at, end);
    if (trimNext) text = text.replace(/^[ \t\r\n]+/, '');
    if (trimEnd) text = text.replace(/[ \t\r\n]+$/, '');
    if (text !== '') pieces.push({ type: 'text', text });
  };
  for (let open = template.indexOf('{{'); open !== -1; open = template.indexOf('{{', at)) {
    addText(open, /^\{\{-[ \t\r\n]/.test(template.slice(open, open + 4)));
    comment.lastIndex = open;
    const remark = comment.exec(template)?.[0];
    if (remark !== undefined) {
      at = open + remark.length;
      trimNext = remark.endsWith('-}}');
      continue;
    }
    if (/^\{\{(?:-[ \t\r\n]+)?\/\*/.test(template.slice(open))) fail(template, open, 'unclosed comment');
    const start = /^\{\{-[ \t\r\n]/.test(template.slice(open, open + 4)) ? open + 3 : open + 2;
    const action = scanAction(template, open, start);
    pieces.push({ type: 'action', tokens: action.tokens, offset: open });
    at = action.end;
    trimNext = action.trims;
  }
  addText(template.length, false);
  return pieces;
}

function scanAction(template: string, open: number, start: number) {
  const tokens: Token[] = [];
  let at = start;
  for (;;) {
    if (template.startsWith('}}', at)) return { tokens: trimmed(tokens), end: at + 2, trims: false };
    const last = tokens.at(-1);
    if (last?.type === 'space' && template.startsWith('-}}', at)) {
      return { tokens: trimmed(tokens), end: at + 3, trims: true };
    }
    if (at >= template.length) fail(template, open, 'unclosed action');
    const token = tokenAt(template, at);
    tokens.push(token);
    at += token.text.length;
  }
}

function tokenAt(template: string, offset: number): Token {
  for (const [type, pattern] of patterns) {
    pattern.lastIndex = offset;
    const text = pattern.exec(template)?.[0];
    if (text !== undefined) return { type, text, offset };
  }
  const character = String.fromCodePoint(template.codePointAt(offset) ?? 0);
  if (character === '"') fail(template, offset, 'unterminated quoted string');
  if (character === '`') fail(template, offset, 'unterminated raw quoted string');
  if (character === "'") fail(template, offset, 'unterminated character constant');
  return fail(template, offset, `unexpected ${JSON.stringify(character)}`);
}

function trimmed(tokens: readonly Token[]): Token[] {
  const from = tokens[0]?.type === 'space' ? 1 : 0;
  const to = tokens.at(-1)?.type === 'space' ? tokens.length - 1 : tokens.length;
  return tokens.slice(from, Math.max(from, to));
}

function fail(template: string, offset: number, message: string): never {
  throw new TemplateError(message, positionAt(template, offset));
}
