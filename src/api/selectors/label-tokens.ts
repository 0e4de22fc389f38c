/** Thrown for a label selector that cannot be parsed. The message is the same as in Kubernetes. */
export class SelectorSyntaxError extends Error {
  constructor(message: string) {
    super(message);
    this.name = 'SelectorSyntaxError';
  }
}

type SymbolText = '!' | '=' | '==' | '!=' | '(' | ')' | ',' | '>' | '<';
type Token = { readonly type: 'word' | 'end' | 'in' | 'notin' | SymbolText; readonly text: string };

const symbols: ReadonlySet<string> = new Set(['!', '=', '==', '!=', '(', ')', ',', '>', '<']);
const operators = ['=', '==', '!=', 'in', 'notin', '>', '<'] as const;
type Operator = (typeof operators)[number];

/** The tokens of a label selector. `in` and `notin` are operators only at positions where an operator is expected. */
export class LabelTokens {
  readonly #tokens: Token[] = [];
  #at = 0;

  constructor(text: string) {
    // A sequence of symbols such as `!==` is split into the longest known symbols, from left to right.
    for (const [piece] of text.matchAll(/[=!(),><]+|[^=!(),>< \t\r\n]+/g)) {
      if (!/^[=!(),><]/.test(piece)) {
        this.#tokens.push({ type: piece === 'in' || piece === 'notin' ? piece : 'word', text: piece });
        continue;
      }
      for (let at = 0; at < piece.length; ) {
        const double = piece.slice(at, at + 2);
        const symbol = symbols.has(double) ? double : piece.charAt(at);
        this.#tokens.push({ type: symbol as SymbolText, text: symbol });
        at += symbol.length;
      }
    }
  }

  #peek(): Token {
    return this.#tokens[this.#at] ?? { type: 'end', text: '' };
  }

  /** Returns the next token without consuming it. `in` and `notin` are returned as words. */
  peekWord(): Token {
    const token = this.#peek();
    return token.type === 'in' || token.type === 'notin' ? { type: 'word', text: token.text } : token;
  }

  takeWord(): Token {
    const token = this.peekWord();
    this.#at++;
    return token;
  }

  takeOperator(): Operator {
    const token = this.#peek();
    this.#at++;
    const operator = operators.find((known) => known === token.type);
    if (operator !== undefined) return operator;
    throw new SelectorSyntaxError(`found '${token.text}', expected: in, notin, =, ==, !=, gt, lt`);
  }

  /** Consumes the value after `=`. Returns '' if the value is missing. */
  takeValue(): string {
    const next = this.peekWord();
    if (next.type === 'end' || next.type === ',') return '';
    this.#at++;
    if (next.type === 'word') return next.text;
    throw new SelectorSyntaxError(`found '${next.text}', expected: identifier`);
  }

  /** Consumes a list such as `(a,b)`. A missing value is the empty string, so `()` contains one empty string. */
  takeList(): string[] {
    const open = this.takeWord();
    if (open.type !== '(') throw new SelectorSyntaxError(`found '${open.text}' expected: '('`);
    const values = new Set<string>();
    let expectValue = true;
    for (;;) {
      const token = this.takeWord();
      if (token.type === ')') {
        if (expectValue) values.add('');
        return [...values];
      }
      if (token.type === ',') {
        if (expectValue) values.add('');
        expectValue = true;
      } else if (token.type === 'word' && expectValue) {
        values.add(token.text);
        expectValue = false;
      } else {
        const expected = expectValue ? "',', ')' or identifier" : "',' or ')'";
        throw new SelectorSyntaxError(`found '${token.text}', expected: ${expected}`);
      }
    }
  }
}
