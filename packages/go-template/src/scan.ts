import { WorkLimitError } from '@flotilla/work-meter';
import { isSpace, type Token, tokenAt } from './scan-token.ts';
import { positionAt, TemplateError } from './template-error.ts';
import { type TemplateWork, workError } from './template-work.ts';

/** A segment of a template: literal text, or an action between `{{` and `}}`. */
export type TemplateSegment =
  | { readonly type: 'text'; readonly text: string; readonly offset: number }
  | { readonly type: 'action'; readonly tokens: readonly Token[]; readonly offset: number };

/** Matches the end of a comment. */
const commentEnd = /\*\/([ \t\r\n]+-)?\}\}/g;

/** The units of work for a token, and for the nodes that are parsed from it. */
const unitsPerToken = 20;
const unitsPerAction = 90;

/**
 * Splits a template into text and actions, one at a time, so that the tokens of a large template are not in memory all
 * at once. `{{-` and `-}}` remove the adjacent white space. Throws TemplateError.
 */
export function scan(template: string, work: TemplateWork): Generator<TemplateSegment, undefined> {
  return new Scanner(template, work).segments();
}

class Scanner {
  readonly #template: string;
  readonly #work: TemplateWork;
  /** True if the white space at the start of the next text is removed. */
  #trimsNext = false;

  constructor(template: string, work: TemplateWork) {
    this.#template = template;
    this.#work = work;
  }

  *segments(): Generator<TemplateSegment, undefined> {
    const template = this.#template;
    this.#charge(template.length, 0);
    let at = 0;
    for (let open = template.indexOf('{{'); open !== -1; open = template.indexOf('{{', at)) {
      this.#charge(unitsPerAction, open);
      const trims = template[open + 2] === '-' && isSpace(template.charCodeAt(open + 3));
      const text = this.#text(at, open, trims);
      if (text !== undefined) yield text;
      const start = open + (trims ? 3 : 2);
      const comment = this.#commentEnd(open, start);
      if (comment === undefined) {
        const { tokens, end } = this.#action(open, start);
        yield { type: 'action', tokens, offset: open };
        at = end;
      } else at = comment;
    }
    const rest = this.#text(at, template.length, false);
    if (rest !== undefined) yield rest;
  }

  #text(from: number, to: number, trimsEnd: boolean): TemplateSegment | undefined {
    let [start, end] = [from, to];
    if (this.#trimsNext) while (start < end && isSpace(this.#template.charCodeAt(start))) start++;
    if (trimsEnd) while (end > start && isSpace(this.#template.charCodeAt(end - 1))) end--;
    return start < end ? { type: 'text', text: this.#template.slice(start, end), offset: start } : undefined;
  }

  /** Returns the offset after a comment; `undefined` for an action. `start` is the offset after its `{{` or `{{-`. */
  #commentEnd(open: number, start: number): number | undefined {
    let content = start;
    if (start > open + 2) while (isSpace(this.#template.charCodeAt(content))) content++;
    if (!this.#template.startsWith('/*', content)) return undefined;
    commentEnd.lastIndex = content + 2;
    const end = commentEnd.exec(this.#template) ?? this.#fail(open, 'unclosed comment');
    this.#trimsNext = end[1] !== undefined;
    return commentEnd.lastIndex;
  }

  #action(open: number, start: number): { tokens: Token[]; end: number } {
    const template = this.#template;
    const tokens: Token[] = [];
    for (let at = start; at < template.length; ) {
      const isEnd = template.startsWith('}}', at);
      this.#trimsNext = !isEnd && tokens.at(-1)?.type === 'space' && template.startsWith('-}}', at);
      if (isEnd || this.#trimsNext) return { tokens: trimmed(tokens), end: at + (isEnd ? 2 : 3) };
      this.#charge(unitsPerToken, at);
      const token = this.#token(at);
      tokens.push(token);
      at += token.text.length;
    }
    return this.#fail(open, 'unclosed action');
  }

  #token(offset: number): Token {
    const token = tokenAt(this.#template, offset);
    if (token !== undefined) return token;
    const character = String.fromCodePoint(this.#template.codePointAt(offset) ?? 0);
    if (character === '"') this.#fail(offset, 'unterminated quoted string');
    if (character === '`') this.#fail(offset, 'unterminated raw quoted string');
    if (character === "'") this.#fail(offset, 'unterminated character constant');
    return this.#fail(offset, `unexpected ${JSON.stringify(character)}`);
  }

  #charge(units: number, offset: number): void {
    try {
      this.#work.charge(units);
    } catch (error) {
      throw error instanceof WorkLimitError ? workError(error, this.#template, offset) : error;
    }
  }

  #fail(offset: number, message: string): never {
    throw new TemplateError(message, positionAt(this.#template, offset));
  }
}

function trimmed(tokens: Token[]): Token[] {
  if (tokens.at(-1)?.type === 'space') tokens.pop();
  if (tokens[0]?.type === 'space') tokens.shift();
  return tokens;
}
