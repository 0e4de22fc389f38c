import type { Token, TokenType } from './scan-token.ts';
import { positionAt, TemplateError } from './template-error.ts';

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

  /** The offset of the next token, or of the action if there are no more tokens. */
  get offset(): number {
    return this.peek()?.offset ?? this.#offset;
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

  /** Throws TemplateError. Its position is the start of the next token unless an offset is given. */
  fail(message: string, offset = this.offset): never {
    throw new TemplateError(message, positionAt(this.#template, offset));
  }

  lineAt(offset: number): number {
    return positionAt(this.#template, offset).line;
  }
}

export function describe({ type, text }: Token): string {
  return type === 'string' ? text : `<${text}>`;
}
