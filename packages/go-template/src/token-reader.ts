import type { Token, TokenType } from './scan.ts';
import { type Position, positionAt, TemplateError } from './template-error.ts';

/** Reads the tokens of one template action in order. */
export class TokenReader {
  readonly #template: string;
  readonly #tokens: readonly Token[];
  readonly #offset: number;
  #next = 0;

  /** Creates a reader. `offset` is the position of the action in the template. */
  constructor(template: string, tokens: readonly Token[], offset: number) {
    this.#template = template;
    this.#tokens = tokens;
    this.#offset = offset;
  }

  /** The position of the next token, or of the action if there are no more tokens. */
  get position(): Position {
    return positionAt(this.#template, this.peek()?.offset ?? this.#offset);
  }

  peek(ahead = 0): Token | undefined {
    return this.#tokens[this.#next + ahead];
  }

  /** Consumes and returns the next token if it has this type; otherwise `undefined`. */
  take(type: TokenType): Token | undefined {
    const token = this.peek();
    if (token?.type !== type) return undefined;
    this.#next++;
    return token;
  }

  /**
   * Consumes and returns the next token if it is one of `words`, and skips the space after it; otherwise `undefined`.
   */
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

  /** Throws TemplateError if there are tokens that were not consumed. */
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
