import type { Token, TokenType } from './scan.ts';
import { type Position, positionAt, TemplateError } from './template-error.ts';

/** Reads the tokens of one action sequentially. */
export class TokenReader {
  readonly #template: string;
  readonly #tokens: readonly Token[];
  readonly #offset: number;
  #next = 0;

  /** `offset` is the offset of the action in the template. */
  constructor(template: string, tokens: readonly Token[], offset: number) {
    this.#template = template;
    this.#tokens = tokens;
    this.#offset = offset;
  }

  /** The position of the next token, or of the action if there is none. */
  get position(): Position {
    return positionAt(this.#template, this.peek()?.offset ?? this.#offset);
  }

  peek(ahead = 0): Token | undefined {
    return this.#tokens[this.#next + ahead];
  }

  /** Consumes and returns the next token if it has that type. */
  take(type: TokenType): Token | undefined {
    const token = this.peek();
    if (token?.type !== type) return undefined;
    this.#next++;
    return token;
  }

  /** Consumes and returns the next token if it is one of these words, and skips the space after it. */
  takeWord(...words: readonly string[]): string | undefined {
    const token = this.peek();
    if (token?.type !== 'identifier' || !words.includes(token.text)) return undefined;
    this.#next++;
    this.skipSpace();
    return token.text;
  }

  skipSpace(): void {
    this.take('space');
  }

  /** Fails if any tokens are left. */
  end(what: string): void {
    this.skipSpace();
    const token = this.peek();
    if (token !== undefined) this.fail(`unexpected ${describe(token)} in ${what}`);
  }

  fail(message: string): never {
    throw new TemplateError(message, this.position);
  }
}

export function describe({ type, text }: Token): string {
  return type === 'string' ? text : `<${text}>`;
}
